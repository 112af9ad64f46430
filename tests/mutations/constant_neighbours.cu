// A filter of five taps with a scale; the scales lie behind the taps in constant memory.
// trace: --grid 1 --block 32 --arg f32[40]=random:1 --arg f32[32]=zero --arg i32:5
// mutant 1: out_of_bounds at tap (a tap too many, which is the first scale)
// says 1: reads taps[5], past the end of it (5 elements), and accesses what is next to it in constant memory
// mutant 2: out_of_bounds at scale (the scales begin too early, which is in the taps)
// says 2: 4 bytes before the start of scales
#ifndef MUTANT
#define MUTANT 0
#endif

__constant__ float taps[5] = {1, 2, 3, 2, 1};
__constant__ float scales[4] = {1, 2, 4, 8};

__global__ void filter(const float* in, float* out, int count) {
  const int t = threadIdx.x;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < count + (MUTANT == 1); ++k) sum += taps[k] * in[t + k];  //@tap
  out[t] = sum * scales[t % 4 - (MUTANT == 2)];                                //@scale
}
