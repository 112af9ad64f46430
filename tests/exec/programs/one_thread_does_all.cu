// A thread that does the work of a grid takes its time, and is not endless.
// output: 5000000 of 5000000
// launches: 1
#include <cstdio>

__global__ void add(unsigned* sum, int n) {
  unsigned found = 0;
#pragma unroll 1
  for (int i = 0; i < n; ++i) {
    found = found * 1664525u + 1013904223u;
    if ((found >> 3) % 7 != 9) *sum += 1;
  }
}

int main() {
  unsigned* sum = nullptr;
  cudaMallocManaged(&sum, sizeof *sum);
  *sum = 0;
  add<<<1, 1>>>(sum, 5000000);
  cudaDeviceSynchronize();
  printf("%u of 5000000\n", *sum);
  cudaFree(sum);
}
