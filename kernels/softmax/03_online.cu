// out[r][c] = exp(in[r][c] - m) / s with m the largest element of row r and s the sum of
// exp(in[r][c] - m) over the row: the largest is subtracted so that nothing overflows.
// New here: largest element and sum in one pass (Milakov and Gimelshein, Online normalizer
// calculation for softmax, 2018). Where a larger element turns up, the sum so far is multiplied by
// exp(old - new). The row is read twice instead of three times.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef WARPS
#define WARPS 4
#endif

constexpr int kWarp = 32;

// Takes another largest element and its sum in.
__device__ void join(float* largest, float* sum, float other_largest, float other_sum) {
  const float both = fmaxf(*largest, other_largest);
  *sum = *sum * expf(*largest - both) + other_sum * expf(other_largest - both);
  *largest = both;
}

extern "C" __global__ void __launch_bounds__(WARPS* kWarp)
    softmax_online(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * WARPS + threadIdx.y;
  const int lane = threadIdx.x;
  if (row >= rows) return;
  const float* from = in + size_t(row) * cols;
  float* to = out + size_t(row) * cols;
  TILESCOPE_PHASE(sum);
  float largest = -3.4e38f;
  float sum = 0;
  for (int c = lane; c < cols; c += kWarp) join(&largest, &sum, from[c], 1);
#pragma unroll
  for (int s = kWarp / 2; s > 0; s /= 2) {
    const float other_largest = __shfl_xor_sync(0xffffffff, largest, s);
    const float other_sum = __shfl_xor_sync(0xffffffff, sum, s);
    join(&largest, &sum, other_largest, other_sum);
  }
  TILESCOPE_PHASE(store);
  for (int c = lane; c < cols; c += kWarp) to[c] = expf(from[c] - largest) / sum;
}
