// A program without PTX is executed from its machine code.
// output: 0 wrong of 1000
// launches: 1
// nvcc: -gencode=arch=compute_90,code=sm_90
#include <cstdio>
#include <vector>

__constant__ float kShift = 3;

__global__ void scale(const float* from, float* to, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float value = from[i];
  for (int k = 0; k < i % 5; ++k) value = factor * value + kShift;  // lanes leave one after another
  to[i] = value;
}

int main() {
  const int n = 1000;
  std::vector<float> x(n), y(n);
  for (int i = 0; i < n; ++i) x[i] = i % 13;
  float *from, *to;
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&to, n * sizeof(float));
  cudaMemcpy(from, x.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<(n + 255) / 256, 256>>>(from, to, 2, n);
  cudaMemcpy(y.data(), to, n * sizeof(float), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0; i < n; ++i) {
    for (int k = 0; k < i % 5; ++k) x[i] = 2 * x[i] + 3;
    wrong += y[i] != x[i];
  }
  printf("%d wrong of %d\n", wrong, n);
  cudaFree(from);
  cudaFree(to);
}
