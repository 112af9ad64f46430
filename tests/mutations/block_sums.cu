// Mean and variance of a row: one function adds up a block's values, and is called twice.
// trace: --grid 4 --block 128 --arg f32[512]=random:5 --arg f32[8]=zero
// mutant 1: shared_race at put,sum (the second call writes where the first is still read)
// mutant 2: uninitialised at sum (as many sums are read as a warp has lanes)
// mutant 3: barrier at down (the mask names the lanes that have a sum, and the others shuffle too)
// mutant 4: shared_race at tell,told (nobody waits for the total)
// mutant 5: barrier ... at meet (only the first warp meets the others)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ float block_sum(float value) {
  __shared__ float sums[32];
  __shared__ float total;
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  for (int o = 16; o > 0; o /= 2) value += __shfl_down_sync(0xffffffffu, value, o);
#if MUTANT != 1
  __syncthreads();
#endif
  if (lane == 0) sums[warp] = value;  //@put
#if MUTANT == 5
  if (warp < 2) __syncthreads();  //@meet
#else
  __syncthreads();
#endif
  if (warp == 0) {
#if MUTANT == 2
    value = sums[lane];  //@sum
#else
    value = lane < blockDim.x / 32 ? sums[lane] : 0.0f;  //@sum
#endif
#if MUTANT == 3
    for (int o = 2; o > 0; o /= 2) value += __shfl_down_sync(0xfu, value, o);  //@down
#else
    for (int o = 16; o > 0; o /= 2) value += __shfl_down_sync(0xffffffffu, value, o);
#endif
    if (lane == 0) total = value;  //@tell
  }
#if MUTANT == 1
  return __shfl_sync(0xffffffffu, value, 0);
#elif MUTANT != 4
  __syncthreads();
#endif
  return total;  //@told
}

__global__ void moments(const float* in, float* out) {
  const float value = in[blockIdx.x * 128 + threadIdx.x];
  const float mean = block_sum(value) / 128;
  const float variance = block_sum((value - mean) * (value - mean)) / 128;
  if (threadIdx.x == 0) {
    out[2 * blockIdx.x] = mean;
    out[2 * blockIdx.x + 1] = variance;
  }
}
