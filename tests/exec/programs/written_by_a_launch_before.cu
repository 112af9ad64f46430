// output: 62
// launches: 2
#include <cstdio>

__global__ void count(int* out) { out[threadIdx.x] = threadIdx.x; }
__global__ void twice(const int* in, int* out) { out[threadIdx.x] = 2 * in[threadIdx.x]; }

int main() {
  int *a, *b, last;
  cudaMalloc(&a, 128);
  cudaMalloc(&b, 128);
  count<<<1, 32>>>(a);
  twice<<<1, 32>>>(a, b);
  cudaMemcpy(&last, b + 31, sizeof last, cudaMemcpyDeviceToHost);
  printf("%d\n", last);
  cudaFree(a);
  cudaFree(b);
}
