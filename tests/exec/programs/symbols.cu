// output: 2.5 11 3
#include <cstdio>

__constant__ float factors[4];
__device__ int total = 10;
__global__ void use(float* out) {
  out[0] = factors[1];
  atomicAdd(&total, 1);
}

int main() {
  const float host[4] = {1, 2.5f, 3, 4};
  float *out, value;
  int sum, *address;
  cudaMemcpyToSymbol(factors, host, sizeof host);
  cudaMalloc(&out, 4);
  use<<<1, 1>>>(out);
  cudaMemcpy(&value, out, 4, cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&sum, total, sizeof sum);
  cudaGetSymbolAddress(reinterpret_cast<void**>(&address), total);
  const int three = 3;
  cudaMemcpy(address, &three, sizeof three, cudaMemcpyHostToDevice);
  int again;
  cudaMemcpyFromSymbol(&again, total, sizeof again);
  printf("%g %d %d\n", value, sum, again);
  cudaFree(out);
}
