// out[r][c] = the sum of filter[i][j] * in[r + i - RADIUS][c + j - RADIUS] over the filter's
// 2 RADIUS + 1 rows and columns; elements beyond the edge count as 0.
// New here: a thread computes PER_THREAD elements below one another, whose weights it reads once
// into registers. Fewer, taller tiles: a smaller part of what the block copies is halo.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 4
#endif
#ifndef PER_THREAD
#define PER_THREAD 4
#endif
#ifndef RADIUS
#define RADIUS 2
#endif

constexpr int kHeight = BLOCK_Y * PER_THREAD;
constexpr int kRows = kHeight + 2 * RADIUS;  // of the tile with its halo
constexpr int kCols = BLOCK_X + 2 * RADIUS;
constexpr int kSide = 2 * RADIUS + 1;

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    convolution_coarsened(const float* in, const float* filter, float* out, int rows, int cols) {
  __shared__ float tile[kRows][kCols];
  const int first_row = blockIdx.y * kHeight;
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
  TILESCOPE_PHASE(compute);
  float sum[PER_THREAD] = {};
#pragma unroll
  for (int i = 0; i < kSide; ++i) {
#pragma unroll
    for (int j = 0; j < kSide; ++j) {
      const float weight = filter[i * kSide + j];
#pragma unroll
      for (int k = 0; k < PER_THREAD; ++k) {
        sum[k] += weight * tile[threadIdx.y + k * BLOCK_Y + i][threadIdx.x + j];
      }
    }
  }
  TILESCOPE_PHASE(store);
  const int col = first_col + threadIdx.x;
#pragma unroll
  for (int k = 0; k < PER_THREAD; ++k) {
    const int row = first_row + threadIdx.y + k * BLOCK_Y;
    if (row < rows && col < cols) out[size_t(row) * cols + col] = sum[k];
  }
}
