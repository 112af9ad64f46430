// Each block waits for the next one, so that the first to begin are the last to get on; the flags
// are polled past the L1.
// trace: --grid 24 --block 64 --arg i32[1536]=iota --arg i32[1536]=zero --arg i32[24]=zero
// mutant 1: global_race at take,give (no fence before the flag is set)
// mutant 2: global_race at take,give (the flag is not waited for)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void relay(const int* in, int* out, int* flags) {
  const int i = blockIdx.x * 64 + threadIdx.x;
  int sum = in[i];
  if (blockIdx.x + 1 < gridDim.x) {
#if MUTANT != 2
    if (threadIdx.x == 0) {
      while (__ldcg(&flags[blockIdx.x + 1]) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
#endif
    sum += out[i + 64];  //@take
  }
  out[i] = sum;  //@give
#if MUTANT != 1
  __threadfence();
#endif
  __syncthreads();
  if (threadIdx.x == 0) atomicExch(&flags[blockIdx.x], 1);
}
