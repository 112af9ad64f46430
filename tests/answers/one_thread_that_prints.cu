// The first program of a course: the file launches two blocks of one thread.
// trace: --sample
// launch: grid 2x1x1, block 1x1x1
#include <cstdio>
__global__ void greeting() { printf("thread %d of block %d\n", threadIdx.x, blockIdx.x); }
int main() {
  greeting<<<2, 1>>>();
  cudaDeviceSynchronize();
}
