// Every thread looks at a word, then some of them swap it with an atomic: the looks of the other
// warps belong before the swaps.
// trace: --grid 1 --block 128 --arg i32[64]=iota --arg i32[128]=zero
// mutant 1: shared_race at look,swap (nothing between the looks and the swaps)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void exchange(const int* in, int* out) {
  __shared__ int words[64];
  const int t = threadIdx.x;
  if (t < 64) words[t] = in[t];
  __syncthreads();
  int sum = words[t & 63];  //@look
#if MUTANT != 1
  __syncthreads();
#endif
  if (t < 96) sum += atomicExch(&words[t & 63], 0);  //@swap
  out[t] = sum;
}
