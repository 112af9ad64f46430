// out[r][c] = the sum of filter[i][j] * in[r + i - RADIUS][c + j - RADIUS] over the filter's
// 2 RADIUS + 1 rows and columns; elements beyond the edge count as 0.
// One thread computes one element and reads all its neighbours from global memory: each element of
// `in` is read once for every weight.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif
#ifndef RADIUS
#define RADIUS 2
#endif

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    convolution_naive(const float* in, const float* filter, float* out, int rows, int cols) {
  const int row = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int col = blockIdx.x * BLOCK_X + threadIdx.x;
  if (row >= rows || col >= cols) return;
  TILESCOPE_PHASE(compute);
  float sum = 0;
  for (int i = 0; i <= 2 * RADIUS; ++i) {
    for (int j = 0; j <= 2 * RADIUS; ++j) {
      const int r = row + i - RADIUS;
      const int c = col + j - RADIUS;
      if (r >= 0 && r < rows && c >= 0 && c < cols) {
        sum += filter[i * (2 * RADIUS + 1) + j] * in[size_t(r) * cols + c];
      }
    }
  }
  TILESCOPE_PHASE(store);
  out[size_t(row) * cols + col] = sum;
}
