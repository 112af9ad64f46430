// A finding names the launch in which it was made, not the first one of the same kernel and grid.
// finding: out_of_bounds 6
// found in: 3
#include <cstdio>

__global__ void fill(int* values, int by) { values[threadIdx.x] = by; }

int main() {
  int* large = nullptr;
  int* small = nullptr;
  cudaMalloc(&large, 128);
  cudaMalloc(&small, 64);
  fill<<<1, 32>>>(large, 1);
  fill<<<1, 32>>>(large, 2);
  fill<<<1, 32>>>(small, 3);
  cudaDeviceSynchronize();
  cudaFree(large);
  cudaFree(small);
}
