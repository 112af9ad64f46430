// out = in transposed: `in` has rows x cols floats, `out` cols x rows, both row-major.
// New here: blocks that run at the same time take tiles along a diagonal. In the plain order they
// write tiles below one another, which on old GPUs all lay in the same partition of the memory.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE
#define TILE 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif
#ifndef PAD
#define PAD 1
#endif

static_assert(TILE % BLOCK_ROWS == 0, "the block walks down the tile in steps of BLOCK_ROWS rows");

extern "C" __global__ void __launch_bounds__(TILE* BLOCK_ROWS)
    transpose_diagonal(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + PAD];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  // Neighbouring blocks of a row of the grid step down and to the right. Each column of the grid
  // stands for one row of tiles when the grid is square, and the remainder wraps around in any
  // case.
  const unsigned block = blockIdx.y * gridDim.x + blockIdx.x;
  const unsigned block_row = block % gridDim.y;
  const unsigned block_col = (block / gridDim.y + block_row) % gridDim.x;
  const int first_row = block_row * TILE;  // of the tile, in `in`
  const int first_col = block_col * TILE;

  TILESCOPE_PHASE(load);
  const float* from = in + size_t(first_row + ty) * cols + first_col + tx;
#pragma unroll
  for (int step = 0; step < TILE; step += BLOCK_ROWS) {
    if (first_row + ty + step < rows && first_col + tx < cols) {
      tile[ty + step][tx] = from[size_t(step) * cols];
    }
  }

  TILESCOPE_PHASE(wait);
  __syncthreads();

  TILESCOPE_PHASE(store);
  float* to = out + size_t(first_col + ty) * rows + first_row + tx;
#pragma unroll
  for (int step = 0; step < TILE; step += BLOCK_ROWS) {
    if (first_col + ty + step < cols && first_row + tx < rows) {
      to[size_t(step) * rows] = tile[tx][ty + step];
    }
  }
}
