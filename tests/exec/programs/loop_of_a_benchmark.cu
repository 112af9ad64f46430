// The input is written anew in each round: what has been seen with known results is not executed.
// output: 31 0
// launches: 20
// repeated: 15
#include <cstdio>

__global__ void reverse(int* data) {
  const int mine = data[31 - threadIdx.x];
  __syncwarp();
  data[threadIdx.x] = mine;
}
__global__ void scale(int* data, int factor) { data[threadIdx.x] *= factor; }

int main() {
  int *data, host[32], result[32];
  for (int i = 0; i < 32; ++i) host[i] = i;
  cudaMalloc(&data, sizeof host);
  for (int i = 0; i < 5; ++i) {
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    scale<<<1, 32>>>(data, 2);
    reverse<<<1, 32>>>(data);
    reverse<<<1, 32>>>(data);
    reverse<<<1, 32>>>(data);
  }
  cudaMemcpy(result, data, sizeof result, cudaMemcpyDeviceToHost);
  printf("%d %d\n", result[0] / 2, result[31]);
  cudaFree(data);
}
