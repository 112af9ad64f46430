// out = in transposed: `in` has rows x cols floats, `out` cols x rows, both row-major.
// One thread moves one element. Its warp reads neighbouring floats of one row, and writes them a
// whole column apart: 32 stores into 32 sectors. With LANES_DOWN it reads apart and writes side by
// side.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif
#ifndef LANES_DOWN
#define LANES_DOWN 0
#endif

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    transpose_naive(const float* in, float* out, int rows, int cols) {
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int row = LANES_DOWN != 0 ? x : y;
  const int col = LANES_DOWN != 0 ? y : x;
  if (row >= rows || col >= cols) return;

  TILESCOPE_PHASE(load);
  const float element = in[size_t(row) * cols + col];
  TILESCOPE_PHASE(store);
  out[size_t(col) * rows + row] = element;
}
