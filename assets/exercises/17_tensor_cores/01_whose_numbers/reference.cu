__global__ void reference(const float* a, const float* b, float* c, int k) {
  for (int row = 0; row < 16; ++row) {
    for (int col = 0; col < 8; ++col) {
      float sum = 0;
      for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * 8 + col];
      c[row * 8 + col] = sum;
    }
  }
}
