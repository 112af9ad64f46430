// Blocks that all wait for one another: more of them than this machine has processors.
// trace: --grid 96 --block 1024 --arg u32[1]=zero --arg i32[1]=zero
// mutant 1: endless at wait (one more is waited for than there are)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void meet(unsigned* count, int* out) {
#if MUTANT == 1
  const unsigned goal = gridDim.x + 1;
#else
  const unsigned goal = gridDim.x;
#endif
  if (threadIdx.x == 0) {
    __threadfence();
    atomicAdd(count, 1u);
    while (*(volatile unsigned*)count < goal) {  //@wait
    }
  }
  __syncthreads();
  if (threadIdx.x == 0 && blockIdx.x == 0) *out = 1;
}
