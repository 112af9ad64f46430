// finding: endless 6
// seconds: 20
#include <cstdio>
__global__ void add(const float* a, const float* b, float* c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  while (i < n)
    c[i] = a[i] + b[i];
}
int main() {
  const int n = 1 << 12;
  float *a, *b, *c;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, n * sizeof(float));
  cudaMalloc(&c, n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(float));
  cudaMemset(b, 0, n * sizeof(float));
  add<<<4, 128>>>(a, b, c, n);
  if (cudaDeviceSynchronize() != cudaSuccess) return 0;
}
