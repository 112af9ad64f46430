// The sum of everything in one launch, as in CUDA's sample threadFenceReduction: what blocks leave
// is volatile, and the block that retires last adds it up.
// trace: --grid 6 --block 64 --arg f32[384]=random:9 --arg f32[6]=zero --arg u32[2]=zero
// mutant 1: global_race at leave,gather (no __threadfence before the counter)
// mutant 2: global_race at leave,gather (a fence for the block alone)
// mutant 3: global_race at leave,gather (the fence comes after the counter)
// mutant 4: global_race at leave,gather (another thread has a fence before the block meets)
// says 1: announces it: put __threadfence() between the two
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ void leave(volatile float* partial, float sum) {
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;  //@leave
}

__global__ void sum(const float* in, volatile float* partial, unsigned* counters) {
  __shared__ float part[64];
  __shared__ bool last;
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int s = 32; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
#if MUTANT == 4
  if (t == 32) __threadfence();
#endif
  leave(partial, part[0]);
#if MUTANT == 4
  __syncthreads();
#elif MUTANT == 2
  __threadfence_block();
#elif MUTANT == 0
  __threadfence();
#endif
  if (t == 0) {
    atomicAdd(&counters[1], 1u);  // statistics: nobody asks
    last = atomicInc(&counters[0], gridDim.x) == gridDim.x - 1;
#if MUTANT == 3
    __threadfence();
#endif
  }
  __syncthreads();
  if (!last) return;
  float total = 0.0f;
  for (int b = t; b < gridDim.x; b += 64) total += partial[b];  //@gather
  part[t] = total;
  __syncthreads();
  for (int s = 32; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) {
    partial[0] = part[0];
    counters[0] = 0;
  }
}
