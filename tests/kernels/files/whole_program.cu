// A file as people have it: host code, standard headers, a launch, an error macro.
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <vector>

#define CHECK(call)                                              \
  do {                                                           \
    cudaError_t status = (call);                                 \
    if (status != cudaSuccess) {                                 \
      std::fprintf(stderr, "%s\n", cudaGetErrorString(status));  \
      std::exit(1);                                              \
    }                                                            \
  } while (0)

__global__ void scale(const float* in, float* out, int n, float factor) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = factor * in[i];
}

int main() {
  const int n = 1 << 20;
  std::vector<float> host(n, 1.0f);
  float *in, *out;
  CHECK(cudaMalloc(&in, n * sizeof(float)));
  CHECK(cudaMalloc(&out, n * sizeof(float)));
  CHECK(cudaMemcpy(in, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  scale<<<(n + 255) / 256, 256>>>(in, out, n, 2.0f);
  CHECK(cudaDeviceSynchronize());
  std::cout << "done\n";
}
