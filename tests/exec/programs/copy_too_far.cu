// host: out_of_bounds
// host: failed_call
// output: cudaErrorInvalidValue
#include <cstdio>

int main() {
  static char host[200];
  char* device;
  cudaMalloc(&device, 100);
  printf("%s\n", cudaGetErrorName(cudaMemcpy(device, host, 200, cudaMemcpyHostToDevice)));
  cudaFree(device);
}
