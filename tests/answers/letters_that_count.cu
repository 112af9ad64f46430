// Plain char is text: letters, with which nothing is out of bounds, not numbers of which 'a' is
// subtracted.
// trace: --sample
// launch: text 97 + random % 26
#include <cstdlib>

__global__ void count_letters(const char* text, int* counts, int n) {
  __shared__ int own[7];
  if (threadIdx.x < 7) own[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&own[(text[i] - 'a') / 4], 1);
  __syncthreads();
  if (threadIdx.x < 7) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
