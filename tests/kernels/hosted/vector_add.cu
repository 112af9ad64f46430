// A first CUDA program as tutorials have it: checks, streams, iostream, a main with everything.
#include <cuda_runtime.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#define CUDA_CHECK(call)                                                             \
  do {                                                                               \
    cudaError_t error = (call);                                                      \
    if (error != cudaSuccess) {                                                      \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
      std::exit(EXIT_FAILURE);                                                       \
    }                                                                                \
  } while (0)

static const char* kUsage = R"usage(vector_add [COUNT]
  { COUNT: elements }  // not a comment
)usage";

__global__ void vector_add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

void fill(std::vector<float>& values, float step) {
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = step * static_cast<float>(i);
}

int main(int argc, char** argv) {
  const int n = argc > 1 ? std::atoi(argv[1]) : 1 << 20;
  if (n <= 0) {
    std::cerr << kUsage << std::endl;
    return 1;
  }
  std::vector<float> a(n), b(n), c(n);
  fill(a, 1.0f);
  fill(b, 2.0f);
  auto bytes = [](const std::vector<float>& v) { return v.size() * sizeof(float); };
  float *d_a, *d_b, *d_c;
  CUDA_CHECK(cudaMalloc(&d_a, bytes(a)));
  CUDA_CHECK(cudaMalloc(&d_b, bytes(b)));
  CUDA_CHECK(cudaMalloc(&d_c, bytes(c)));
  CUDA_CHECK(cudaMemcpy(d_a, a.data(), bytes(a), cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_b, b.data(), bytes(b), cudaMemcpyHostToDevice));
  vector_add<<<(n + 255) / 256, 256>>>(d_a, d_b, d_c, n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(c.data(), d_c, bytes(c), cudaMemcpyDeviceToHost));
  std::cout << "last: " << c.back() << '\n';
  return std::all_of(c.begin(), c.end(), [](float x) { return x >= 0; }) ? 0 : 1;
}
