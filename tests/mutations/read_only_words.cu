// Each thread writes a word and, after a barrier, reads another thread's.
// trace: --grid 2 --block 64 --arg f32[128]=random:1 --arg f32[128]=zero --arg f32[128]=zero
// mutant 1: global_race at read (by the read-only path, which need not see the write)
// says 1: which thread (0,0,0) writes (line 15) in the same launch: the old value may still be there
// mutant 2: global_race at read (likewise, and without a barrier)
// says 2: put __syncthreads() between the write and this read
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void exchange(const float* in, float* between, float* out) {
  const int t = threadIdx.x;
  const float* const from = in + blockIdx.x * 64;
  float* const words = between + blockIdx.x * 64;
  words[t] = __ldg(&from[t]) + 1.0f;
#if MUTANT != 2
  __syncthreads();
#endif
#if MUTANT == 0
  out[blockIdx.x * 64 + t] = words[63 - t];
#else
  out[blockIdx.x * 64 + t] = __ldg(&words[(t + 32) % 64]);  //@read
#endif
}
