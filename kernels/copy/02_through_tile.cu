// out = in, both rows x cols floats, row-major.
// New here: the elements go through a tile in shared memory and wait for the block, as those of the
// tiled transpose do, but leave it as they came: what the way through the tile costs by itself.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE
#define TILE 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif

static_assert(TILE % BLOCK_ROWS == 0, "the block walks down the tile in steps of BLOCK_ROWS rows");

extern "C" __global__ void __launch_bounds__(TILE* BLOCK_ROWS)
    copy_through_tile(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int first_row = blockIdx.y * TILE + ty;
  const int col = blockIdx.x * TILE + tx;

  TILESCOPE_PHASE(load);
#pragma unroll
  for (int step = 0; step < TILE; step += BLOCK_ROWS) {
    if (first_row + step < rows && col < cols) {
      tile[ty + step][tx] = in[size_t(first_row + step) * cols + col];
    }
  }

  TILESCOPE_PHASE(wait);
  __syncthreads();

  TILESCOPE_PHASE(store);
#pragma unroll
  for (int step = 0; step < TILE; step += BLOCK_ROWS) {
    if (first_row + step < rows && col < cols) {
      out[size_t(first_row + step) * cols + col] = tile[ty + step][tx];
    }
  }
}
