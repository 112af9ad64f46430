// out = in transposed: `in` has rows x cols floats, `out` cols x rows, both row-major.
// One thread of the whole GPU moves every element, one after the other, as a CPU would.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif

extern "C" __global__ void __launch_bounds__(1)
    transpose_serial(const float* in, float* out, int rows, int cols) {
  for (int row = 0; row < rows; ++row) {
    for (int col = 0; col < cols; ++col) {
      TILESCOPE_PHASE(load);
      const float element = in[size_t(row) * cols + col];
      TILESCOPE_PHASE(store);
      out[size_t(col) * rows + row] = element;
    }
  }
}
