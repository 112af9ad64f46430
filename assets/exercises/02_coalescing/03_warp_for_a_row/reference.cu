__global__ void reference(const float* in, float* sum, int rows, int cols) {
  for (int row = 0; row < rows; ++row) {
    float total = 0;
    for (int col = 0; col < cols; ++col) total += in[row * cols + col];
    sum[row] = total;
  }
}
