// output: block 0 thread 0: 1.50 x
// output: block 1 thread 1: 1.50 x
// output: end
#include <cstdio>

__global__ void hello(double value, const char*) {
  printf("block %d thread %d: %.2f %s\n", blockIdx.x, threadIdx.x, value, "x");
}

int main() {
  hello<<<2, 2>>>(1.5, nullptr);
  cudaDeviceSynchronize();
  puts("end");
}
