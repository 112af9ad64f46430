// output: 255 1
// launches: 1
// Names whose headers Visual Studio's own headers include.
#include <stdio.h>

__global__ void largest(uint8_t* out, float* real) {
  *out = UINT8_MAX;
  *real = FLT_MAX;
}

int main() {
  uint8_t* out;
  float* real;
  cudaMallocManaged(&out, 4);
  cudaMallocManaged(&real, 4);
  largest<<<1, 1>>>(out, real);
  cudaDeviceSynchronize();
  printf("%d %d\n", *out, *real == FLT_MAX);
  cudaFree(out);
  cudaFree(real);
  return 0;
}
