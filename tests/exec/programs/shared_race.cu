// finding: shared_race 7
// output: done
#include <cstdio>
__global__ void reverse(int* values) {
  __shared__ int tile[64];
  tile[threadIdx.x] = values[threadIdx.x];
  values[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  int* values;
  cudaMalloc(&values, 256);
  cudaMemset(values, 0, 256);
  reverse<<<1, 64>>>(values);
  cudaDeviceSynchronize();
  puts("done");
  cudaFree(values);
}
