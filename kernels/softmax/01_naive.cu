// out[r][c] = exp(in[r][c] - m) / s with m the largest element of row r and s the sum of
// exp(in[r][c] - m) over the row: the largest is subtracted so that nothing overflows.
// One thread computes one row, in three passes over it. Neighbouring lanes are a row apart.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 64
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    softmax_naive(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * BLOCK + threadIdx.x;
  if (row >= rows) return;
  const float* from = in + size_t(row) * cols;
  float* to = out + size_t(row) * cols;
  TILESCOPE_PHASE(largest);
  float largest = from[0];
  for (int c = 1; c < cols; ++c) largest = fmaxf(largest, from[c]);
  TILESCOPE_PHASE(sum);
  float sum = 0;
  for (int c = 0; c < cols; ++c) sum += expf(from[c] - largest);
  TILESCOPE_PHASE(store);
  for (int c = 0; c < cols; ++c) to[c] = expf(from[c] - largest) / sum;
}
