// out = in transposed: `in` has rows x cols floats, `out` cols x rows, both row-major.
// New here: one thread for each row of `in`. At any moment the lanes of a warp stand in the same
// column of 32 rows: they read a row's length apart, and write side by side.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    transpose_per_row(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * BLOCK + threadIdx.x;
  if (row >= rows) return;
  const float* from = in + size_t(row) * cols;
  for (int col = 0; col < cols; ++col) {
    TILESCOPE_PHASE(load);
    const float element = from[col];
    TILESCOPE_PHASE(store);
    out[size_t(col) * rows + row] = element;
  }
}
