// output: 6
#include <cooperative_groups.h>
#include <cstdio>

__global__ void sum(int* values, int* total) {
  values[blockIdx.x] = blockIdx.x;
  cooperative_groups::this_grid().sync();
  if (blockIdx.x == 0) {
    int all = 0;
    for (unsigned i = 0; i < gridDim.x; ++i) all += values[i];
    *total = all;
  }
}

int main() {
  int *values, *total, host;
  cudaMalloc(&values, 16);
  cudaMalloc(&total, 4);
  void* arguments[] = {&values, &total};
  cudaLaunchCooperativeKernel(reinterpret_cast<void*>(sum), 4, 1, arguments, 0, 0);
  cudaMemcpy(&host, total, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  cudaFree(values);
  cudaFree(total);
}
