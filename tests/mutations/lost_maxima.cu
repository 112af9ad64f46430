// The largest of many values, and whether any of them is negative.
// trace: --arch sm_90 --grid 4 --block 64 --arg i32[256]=random:5 --arg i32[1]=zero --arg i32[1]=zero
// mutant 1: global_race at largest (a larger value may come between the test and the exchange)
// says 1: test and write in one step with an atomic (atomicMax or atomicMin
// mutant 2: shared_race at block_largest (likewise in a block)
// says 2: several threads may find the old value
#ifndef MUTANT
#define MUTANT 0
#endif
__global__ void maxima(const int* in, int* largest, int* negative) {
  __shared__ int block_largest;
  const int value = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (threadIdx.x == 0) block_largest = -1000;
  __syncthreads();
#if MUTANT == 2
  if (value > block_largest) atomicExch(&block_largest, value);  //@block_largest
#else
  if (value > block_largest) atomicMax(&block_largest, value);
#endif
  if (value < 0 && *negative == 0) atomicExch(negative, 1);
  __syncthreads();
#if MUTANT == 1
  if (threadIdx.x == 0 && block_largest > *largest) atomicExch(largest, block_largest);  //@largest
#else
  if (threadIdx.x == 0 && block_largest > *largest) atomicMax(largest, block_largest);
#endif
}
