__global__ void multiply(const float* a, const float* b, float* c, int n) {
  const int row = blockIdx.x * 16 + threadIdx.x;
  const int col = blockIdx.y * 16 + threadIdx.y;
  if (row >= n || col >= n) return;
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += a[row * n + i] * b[i * n + col];
  c[row * n + col] = sum;
}
