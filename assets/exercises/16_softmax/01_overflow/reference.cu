__global__ void reference(const float* in, float* out, float scale, int rows, int cols) {
  for (int row = 0; row < rows; ++row) {
    const float* x = in + row * cols;
    float most = x[0];
    for (int col = 1; col < cols; ++col) most = fmaxf(most, x[col]);
    float sum = 0;
    for (int col = 0; col < cols; ++col) sum += expf(scale * (x[col] - most));
    for (int col = 0; col < cols; ++col) {
      out[row * cols + col] = expf(scale * (x[col] - most)) / sum;
    }
  }
}
