// output: 42
// nvcc: -cudart static
// launches: 1
#include <cstdio>

__global__ void store(int* p) { *p = 42; }

int main() {
  int *p, host;
  cudaMalloc(&p, 4);
  store<<<1, 1>>>(p);
  cudaMemcpy(&host, p, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  cudaFree(p);
}
