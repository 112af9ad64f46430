// output: 3
// launches: 100
// repeated: 99
#include <cstdio>

template <int kFactor>
__global__ void scale(const int* in, int* out) {
  out[threadIdx.x] = kFactor * in[threadIdx.x];
}

int main() {
  int *in, *out, host[32];
  for (int& value : host) value = 1;
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  for (int i = 0; i < 100; ++i) scale<3><<<1, 32>>>(in, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", host[7]);
  cudaFree(in);
  cudaFree(out);
}
