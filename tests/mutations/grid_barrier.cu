// Blocks that wait for each other, twice, with a counter in global memory: what one has written
// before is read and written again by the others after it.
// trace: --grid 20 --block 32 --arg u32[1]=zero --arg f32[640]=iota --arg f32[640]=zero
// mutant 1: global_race at take,back (no fence before the counter is raised)
// mutant 2: global_race at take (the first wait is missing)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ __forceinline__ void meet(unsigned* count, unsigned goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
#if MUTANT != 1
    __threadfence();
#endif
    atomicAdd(count, 1u);
    while (*(volatile unsigned*)count < goal) {
    }
    __threadfence();
  }
  __syncthreads();
}

__global__ void barriers(unsigned* count, float* a, float* b) {
  const int i = blockIdx.x * 32 + threadIdx.x;
  b[i] = a[i] + 1.0f;
#if MUTANT == 2
  if (threadIdx.x == 0) atomicAdd(count, 1u);
#else
  meet(count, gridDim.x);
#endif
  a[i] = b[gridDim.x * 32 - 1 - i];  //@take
  meet(count, 2 * gridDim.x);
  b[i] = a[gridDim.x * 32 - 1 - i];  //@back
}
