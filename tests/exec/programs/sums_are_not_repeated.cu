// output: 100
// launches: 100
// repeated: 0
#include <cstdio>

__global__ void add(int* sum) { *sum += 1; }

int main() {
  int *sum, host;
  cudaMalloc(&sum, 4);
  cudaMemset(sum, 0, 4);
  for (int i = 0; i < 100; ++i) add<<<1, 1>>>(sum);
  cudaMemcpy(&host, sum, 4, cudaMemcpyDeviceToHost);
  printf("%d\n", host);
  cudaFree(sum);
}
