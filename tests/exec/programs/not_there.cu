// output: cudaErrorNotSupported
// host: unsupported
// host: failed_call
#include <cstdio>

int main() {
  cudaMipmappedArray_t array;
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  printf("%s\n", cudaGetErrorName(cudaMallocMipmappedArray(
                         &array, &format, make_cudaExtent(32, 32, 0), 2)));
}
