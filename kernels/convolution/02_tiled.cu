// out[r][c] = the sum of filter[i][j] * in[r + i - RADIUS][c + j - RADIUS] over the filter's
// 2 RADIUS + 1 rows and columns; elements beyond the edge count as 0.
// New here: the block copies its tile of `in` to shared memory, with a halo of RADIUS elements on
// each side, and every thread reads its neighbours there. An element is read from global memory
// once by each block that needs it.
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

constexpr int kRows = BLOCK_Y + 2 * RADIUS;  // of the tile with its halo
constexpr int kCols = BLOCK_X + 2 * RADIUS;

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    convolution_tiled(const float* in, const float* filter, float* out, int rows, int cols) {
  __shared__ float tile[kRows][kCols];
  const int first_row = blockIdx.y * BLOCK_Y;
  const int first_col = blockIdx.x * BLOCK_X;
  const int thread = threadIdx.y * BLOCK_X + threadIdx.x;
  TILESCOPE_PHASE(load);
  for (int e = thread; e < kRows * kCols; e += BLOCK_X * BLOCK_Y) {
    const int r = first_row + e / kCols - RADIUS;
    const int c = first_col + e % kCols - RADIUS;
    const bool inside = r >= 0 && r < rows && c >= 0 && c < cols;
    tile[e / kCols][e % kCols] = inside ? in[size_t(r) * cols + c] : 0;
  }
  TILESCOPE_PHASE(wait);
  __syncthreads();
  const int row = first_row + threadIdx.y;
  const int col = first_col + threadIdx.x;
  if (row >= rows || col >= cols) return;
  TILESCOPE_PHASE(compute);
  float sum = 0;
#pragma unroll
  for (int i = 0; i <= 2 * RADIUS; ++i) {
#pragma unroll
    for (int j = 0; j <= 2 * RADIUS; ++j) {
      sum += filter[i * (2 * RADIUS + 1) + j] * tile[threadIdx.y + i][threadIdx.x + j];
    }
  }
  TILESCOPE_PHASE(store);
  out[size_t(row) * cols + col] = sum;
}
