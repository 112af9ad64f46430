__global__ void reference(const int* in, int* sum, int rows) {
  for (int row = 0; row < rows; ++row) {
    int total = 0;
    for (int col = 0; col <= row % 32; ++col) total += in[row * 32 + col];
    sum[row] = total;
  }
}
