// Device functions that another source has, which nobody names: it is beside the header.
// output: 2.5
// launches: 1
#include <cstdio>

#include "../linked/shade.cuh"
__global__ void render(float* out) { out[threadIdx.x] = shade(Ray{1, 2}, threadIdx.x); }
int main() {
  float *out, host[32];
  cudaMalloc(&out, sizeof host);
  render<<<1, 32>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(out);
  printf("%g\n", host[2]);
}
