// output: cudaErrorNotSupported
// host: unsupported
// host: failed_call
#include <cstdio>

int main() {
  cudaArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  printf("%s\n", cudaGetErrorName(cudaMallocArray(&array, &format, 32, 32)));
}
