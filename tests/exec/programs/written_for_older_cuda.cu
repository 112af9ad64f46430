// What CUDA 13 has no more is taken from a header of Tilescope's.
// output: clock yes, memory clock yes, wide enough yes
// output: 1 2 3 4, last 32
// launches: 1
#include <cuda/std/functional>

#include <cstdio>

__global__ void next(int* x) {
  x[threadIdx.x] = __any(threadIdx.x == 5) * __shfl_down((int)threadIdx.x + 1, 1);
}

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  printf("clock %s, memory clock %s, wide enough %s\n", properties.clockRate > 0 ? "yes" : "no",
         properties.memoryClockRate > 0 ? "yes" : "no",
         properties.warpSize == 32 ? "yes" : "no");
  int* x = nullptr;
  cudaMallocManaged(&x, 32 * sizeof(int));
  cudaMemAdvise(x, 32 * sizeof(int), cudaMemAdviseSetPreferredLocation, 0);
  cudaMemPrefetchAsync(x, 32 * sizeof(int), 0);
  next<<<1, 32>>>(x);
  cudaMemPrefetchAsync(x, 32 * sizeof(int), cudaCpuDeviceId, 0);
  cudaThreadSynchronize();
  printf("%d %d %d %d, last %d\n", x[0] - 1, x[1] - 1, x[2] - 1, x[3] - 1, x[31]);
  cudaFree(x);
}
