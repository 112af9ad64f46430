// c = a b; a block of 16 x 4 threads makes 16 x 16 elements of c: thread (x, y) makes those of
// column x in rows 4 y to 4 y + 3.
__global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float a_tile[16][17];  // padded: no bank conflicts
  __shared__ float b_tile[16][16];
  const int x = threadIdx.x;
  const int y = threadIdx.y;
  const int row0 = blockIdx.y * 16;
  const int col = blockIdx.x * 16 + x;
  float sum[4] = {0, 0, 0, 0};
  for (int k0 = 0; k0 < k; k0 += 16) {
    for (int r = y; r < 16; r += 4) {
      a_tile[r][x] = row0 + r < m && k0 + x < k ? a[(row0 + r) * k + k0 + x] : 0;
      b_tile[r][x] = k0 + r < k && col < n ? b[(k0 + r) * n + col] : 0;
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; ++r) {
#pragma unroll 1
      for (int i = 0; i < 16; ++i) sum[r] += a_tile[4 * y + r][i] * b_tile[i][x];
    }
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) {
    const int row = row0 + 4 * y + r;
    if (row < m && col < n) c[row * n + col] = sum[r];
  }
}
