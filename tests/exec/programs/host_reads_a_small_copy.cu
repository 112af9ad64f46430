// host: not_synchronised
// output: 8 4
#include <cstdio>

__global__ void count(int* p) { p[threadIdx.x] = threadIdx.x; }

int main() {
  int *p, *small, *other;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaMalloc(&p, 16 * sizeof(int));
  cudaMallocHost(&small, 16 * sizeof(int));
  cudaMallocHost(&other, 16 * sizeof(int));
  count<<<1, 16, 0, stream>>>(p);
  other[0] = 8;
  cudaMemcpyAsync(small, p, 8 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(small + 8, p + 8, sizeof(int), cudaMemcpyDeviceToHost, stream);
  small[12] = 1;  // beside what is copied
  cudaMemcpyAsync(other + 8, p, 4 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  const int early = other[0];  // beside it, too
  cudaMemcpyAsync(small, p, 8 * sizeof(int), cudaMemcpyDeviceToHost, stream);
  printf("%d %d\n", early, small[4]);
  cudaStreamSynchronize(stream);
  cudaFree(p);
  cudaFreeHost(small);
  cudaFreeHost(other);
  cudaStreamDestroy(stream);
}
