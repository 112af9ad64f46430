// output: 7 8
#include <cstdio>

__device__ __managed__ int shared_counter = 1;
__global__ void store(int* p) {
  *p = 7;
  shared_counter += 7;
}

int main() {
  int* p;
  cudaMallocManaged(&p, sizeof(int));
  store<<<1, 1>>>(p);
  cudaDeviceSynchronize();
  printf("%d %d\n", *p, shared_counter);
  cudaFree(p);
}
