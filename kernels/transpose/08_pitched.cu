// out = in transposed: `in` has rows x cols floats, `out` cols x rows, both row-major.
// As tiled, but both matrices have a pitch: GAP unused floats lie behind each of their rows, so
// that the rows of a matrix whose width is a power of two do not all begin at the same place of the
// memory's partitions.
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
#ifndef GAP
#define GAP 32
#endif

static_assert(TILE % BLOCK_ROWS == 0, "the block walks down the tile in steps of BLOCK_ROWS rows");

extern "C" __global__ void __launch_bounds__(TILE* BLOCK_ROWS)
    transpose_pitched(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + PAD];

  const size_t in_pitch = cols + GAP;
  const size_t out_pitch = rows + GAP;
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int first_row = blockIdx.y * TILE;  // of the tile, in `in`
  const int first_col = blockIdx.x * TILE;

  TILESCOPE_PHASE(load);
  const float* from = in + (first_row + ty) * in_pitch + first_col + tx;
#pragma unroll
  for (int step = 0; step < TILE; step += BLOCK_ROWS) {
    if (first_row + ty + step < rows && first_col + tx < cols) {
      tile[ty + step][tx] = from[step * in_pitch];
    }
  }

  TILESCOPE_PHASE(wait);
  __syncthreads();

  TILESCOPE_PHASE(store);
  // The tile's columns become rows of `out`; the lanes run along them again.
  float* to = out + (first_col + ty) * out_pitch + first_row + tx;
#pragma unroll
  for (int step = 0; step < TILE; step += BLOCK_ROWS) {
    if (first_col + ty + step < cols && first_row + tx < rows) {
      to[step * out_pitch] = tile[tx][ty + step];
    }
  }
}
