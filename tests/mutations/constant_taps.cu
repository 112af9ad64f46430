// A filter whose taps lie in constant memory; warps 0 and 1 meet without the others.
// trace: --grid 2 --block 96 --arg f32[256]=random:1 --arg f32[128]=zero --arg i32:8
// mutant 1: out_of_bounds at tap (one tap too many)
// says 1: reads taps[8], 1 past its end: 8 elements of 4 bytes
// mutant 2: barrier at meet (the count is that of the block)
// says 2: or let its count be that of the threads that do
// mutant 3: out_of_bounds at scale (a scale for each pair of threads, of which there are four)
// says 3: reads scales[
#ifndef MUTANT
#define MUTANT 0
#endif

__constant__ float scales[4] = {1, 2, 1, 2};
__constant__ float taps[8] = {1, 2, 3, 4, 4, 3, 2, 1};

__global__ void filter(const float* in, float* out, int width) {
  __shared__ float line[72];
  const int t = threadIdx.x;
  if (t >= 64) return;
  line[t] = in[blockIdx.x * 64 + t];
  if (t < 8) line[64 + t] = in[blockIdx.x * 64 + 64 + t];
  asm volatile("bar.sync 1, %0;" ::"n"(MUTANT == 2 ? 96 : 64) : "memory");  //@meet
  float sum = 0.0f;
  for (int k = 0; k < width + (MUTANT == 1 ? 1 : 0); ++k) sum += taps[k] * line[t + k];  //@tap
  out[blockIdx.x * 64 + t] = sum * scales[MUTANT == 3 ? t / 2 : t % 4];  //@scale
}
