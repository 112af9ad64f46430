__global__ void reference(const float* a, const float* b, float* c, int n) {
  for (int row = 0; row < n; ++row) {
    for (int col = 0; col < n; ++col) {
      float sum = 0;
      for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + col];
      c[row * n + col] = sum;
    }
  }
}
