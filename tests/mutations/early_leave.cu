// A barrier of the whole block that is not .aligned, as cooperative groups' block.sync() has it.
// trace: --grid 2 --block 64 --arg f32[128]=random:1 --arg f32[128]=zero
// mutant 1: barrier ... at meet (part of a warp has left before)
// mutant 2: barrier ... at meet (one warp never comes to it)
// mutant 3: barrier ... at named (it counts more threads than there are)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ __forceinline__ void meet() {
  asm volatile("barrier.sync 0;" ::: "memory");
}

__global__ void early(const float* in, float* out) {
  __shared__ float tile[64];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 64 + t;
  tile[t] = in[i];
#if MUTANT == 1
  if (t >= 40) return;
#elif MUTANT == 2
  if (t >= 32)
#endif
  meet();  //@meet
#if MUTANT == 3
  asm volatile("barrier.sync 1, 96;" ::: "memory");  //@named
#endif
  out[i] = tile[63 - t];
}
