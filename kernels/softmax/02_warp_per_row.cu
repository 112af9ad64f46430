// out[r][c] = exp(in[r][c] - m) / s with m the largest element of row r and s the sum of
// exp(in[r][c] - m) over the row: the largest is subtracted so that nothing overflows.
// New here: a warp computes one row. Its lanes read neighbouring elements, and shuffles hand the
// largest element and the sum to every lane.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef WARPS
#define WARPS 4
#endif

constexpr int kWarp = 32;

extern "C" __global__ void __launch_bounds__(WARPS* kWarp)
    softmax_warp_per_row(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * WARPS + threadIdx.y;
  const int lane = threadIdx.x;
  if (row >= rows) return;
  const float* from = in + size_t(row) * cols;
  float* to = out + size_t(row) * cols;
  TILESCOPE_PHASE(largest);
  float largest = -3.4e38f;
  for (int c = lane; c < cols; c += kWarp) largest = fmaxf(largest, from[c]);
#pragma unroll
  for (int s = kWarp / 2; s > 0; s /= 2) {
    largest = fmaxf(largest, __shfl_xor_sync(0xffffffff, largest, s));
  }
  TILESCOPE_PHASE(sum);
  float sum = 0;
  for (int c = lane; c < cols; c += kWarp) sum += expf(from[c] - largest);
#pragma unroll
  for (int s = kWarp / 2; s > 0; s /= 2) sum += __shfl_xor_sync(0xffffffff, sum, s);
  TILESCOPE_PHASE(store);
  for (int c = lane; c < cols; c += kWarp) to[c] = expf(from[c] - largest) / sum;
}
