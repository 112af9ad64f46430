// finding: out_of_bounds 5
// finding text: has been freed
// output: done
#include <cstdio>
__global__ void store(int* p) { p[threadIdx.x] = 1; }

int main() {
  int* p;
  cudaMalloc(&p, 128);
  cudaFree(p);
  store<<<1, 32>>>(p);
  cudaDeviceSynchronize();
  puts("done");
}
