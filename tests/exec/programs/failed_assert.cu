// finding: trap 6
// output: cudaErrorAssert
#include <cassert>
#include <cstdio>

__global__ void check(int n) { assert(n == 3); }

int main() {
  check<<<1, 2>>>(4);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
