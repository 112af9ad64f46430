// finding: uninitialised 6
// output: done
#include <cstdio>

__global__ void twice(const float* in, float* out) {
  out[threadIdx.x] = 2 * in[threadIdx.x];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 128);
  cudaMalloc(&out, 128);
  twice<<<1, 32>>>(in, out);
  cudaDeviceSynchronize();
  puts("done");
  cudaFree(in);
  cudaFree(out);
}
