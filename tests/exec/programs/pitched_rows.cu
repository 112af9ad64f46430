// output: 203
#include <cstdio>

__global__ void number(char* rows, size_t pitch) {
  reinterpret_cast<int*>(rows + threadIdx.y * pitch)[threadIdx.x] = threadIdx.y * 100 + threadIdx.x;
}

int main() {
  char* rows;
  size_t pitch;
  int host[3][4];
  cudaMallocPitch(&rows, &pitch, sizeof host[0], 3);
  number<<<1, dim3(4, 3)>>>(rows, pitch);
  cudaMemcpy2D(host, sizeof host[0], rows, pitch, sizeof host[0], 3, cudaMemcpyDeviceToHost);
  printf("%d\n", host[2][3]);
  cudaFree(rows);
}
