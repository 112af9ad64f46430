// out = in transposed: `in` has rows x cols floats, `out` cols x rows, both row-major.
// New here: the block turns a TILE x TILE piece over in shared memory, so that both its global
// reads and its global writes run along rows. PAD floats behind each row of the tile shift its
// columns over the banks: without any, 32 lanes that read one column all want the same bank.
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
    transpose_tiled(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + PAD];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int first_row = blockIdx.y * TILE;  // of the tile, in `in`
  const int first_col = blockIdx.x * TILE;

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
  // The tile's columns become rows of `out`; the lanes run along them again.
  float* to = out + size_t(first_col + ty) * rows + first_row + tx;
#pragma unroll
  for (int step = 0; step < TILE; step += BLOCK_ROWS) {
    if (first_col + ty + step < cols && first_row + tx < rows) {
      to[size_t(step) * rows] = tile[tx][ty + step];
    }
  }
}
