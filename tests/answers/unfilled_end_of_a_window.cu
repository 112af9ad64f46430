// A window of five over 27 values in blocks of 16. The last block holds 11 values; the words behind them are
// guarded where they are filled, not where they are read: threads 7 to 10 of block 1 read words 11 to
// 14, which nobody has written. Filled with zero they are sound.
// trace: --grid 2 --block 16 --arg f32[27]=random:1 --arg f32[27]=zero --arg i32:27
// trace 1: -D UNFILLED
// mutant 1: uninitialised at sum (the last block's words past the end)
// says 1: values[11]
__global__ void window_sums(const float* in, float* out, int count) {
  __shared__ float values[16 + 4];
  const int t = threadIdx.x, i = blockIdx.x * 16 + t;
#ifdef UNFILLED
  if (i < count) values[t] = in[i];
  if (t < 4 && i + 16 < count) values[t + 16] = in[i + 16];
#else
  values[t] = i < count ? in[i] : 0.0f;
  if (t < 4) values[t + 16] = i + 16 < count ? in[i + 16] : 0.0f;
#endif
  __syncthreads();
  if (i >= count) return;
  float sum = 0.0f;
  for (int k = 0; k < 5; ++k) sum += values[t + k];  //@sum
  out[i] = sum;
}
