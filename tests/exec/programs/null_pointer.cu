// finding: out_of_bounds 6
// output: cudaErrorIllegalAddress cudaErrorIllegalAddress
#include <cstdio>

__global__ void store(int* p) {
  *p = 1;
}

int main() {
  store<<<1, 1>>>(nullptr);
  const cudaError_t first = cudaDeviceSynchronize();
  int* p;
  printf("%s %s\n", cudaGetErrorName(first), cudaGetErrorName(cudaMalloc(&p, 4)));
}
