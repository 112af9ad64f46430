// Two groups of warps, each of which meets at a barrier of its own; in the end both use one, in turn.
// trace: --grid 1 --block 128 --arg f32[128]=iota --arg f32[128]=zero
// mutant 1: barrier at pair (both groups meet at one barrier)
// says 1: give each group a barrier of its own
// mutant 2: barrier at last (the second group does not wait for the first before it takes its barrier)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ void meet(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__global__ void paired(const float* in, float* out) {
  __shared__ float row[128];
  __shared__ float sums[128];
  const int t = threadIdx.x;
  const int group = t / 64;
  row[t] = in[t];
  meet(MUTANT == 1 ? 1 : 1 + group, 64);  //@pair
  const float sum = row[t] + row[t ^ 32];
#if MUTANT != 2
  __syncthreads();
#endif
  if (group == 1) {
    sums[t] = sum;
    meet(1, 64);  //@last
    out[t] = sums[t ^ 32];
  } else {
    out[t] = sum;
  }
}
