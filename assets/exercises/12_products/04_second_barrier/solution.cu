// c = a b; a block of 16 x 16 threads makes 16 x 16 elements of c, in steps of 16 along k.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[16][16];
  __shared__ float b_tile[16][16];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row = blockIdx.y * 16 + y;
  const int col = blockIdx.x * 16 + x;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    a_tile[y][x] = row < m && k0 + x < k ? a[row * k + k0 + x] : 0;
    b_tile[y][x] = k0 + y < k && col < n ? b[(k0 + y) * n + col] : 0;
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += a_tile[y][i] * b_tile[i][x];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}
