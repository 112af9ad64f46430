// host: not_synchronised
// output: 7
#include <cstdio>

__global__ void store(int* p) { *p = 7; }

int main() {
  int* p;
  cudaMallocManaged(&p, sizeof(int));
  store<<<1, 1>>>(p);
  printf("%d\n", *p);
  cudaDeviceSynchronize();
  cudaFree(p);
}
