// One warp leaves a number for another and raises a flag in shared memory, which the other polls.
// trace: --grid 1 --block 64 --arg f32[64]=iota --arg f32[64]=zero
// mutant 1: shared_race ... at poll,raise (the flag is a plain word)
// says 1: polls a plain word, which the compiler reads once
// says 1: __threadfence_block()
// mutant 2: shared_race ... at poll,raise (the flag is a plain word that an atomic changes)
// says 2: polls a plain word, which the compiler reads once
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void hand_over(const float* in, float* out) {
  __shared__ float left;
  __shared__ int flag;
  const int t = threadIdx.x;
  if (t == 0) flag = 0;
  __syncthreads();
  if (t == 0) {
    left = in[0] + 1.0f;
    __threadfence_block();
#if MUTANT == 1
    flag = 1;  //@raise
#else
    atomicExch(&flag, 1);  //@raise
#endif
  }
  if (t == 32) {
#if MUTANT == 0
    while (*static_cast<volatile int*>(&flag) == 0) {
#else
    while (flag == 0) {  //@poll
#endif
    }
    __threadfence_block();
    out[0] = left;
  }
}
