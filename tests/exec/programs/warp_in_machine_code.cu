// In machine code the __syncwarp() of a warp that stays together is gone, and nothing is wrong.
// output: 0 wrong of 64
// launches: 1
// nvcc: -gencode=arch=compute_90,code=sm_90
#include <cstdio>

__global__ void scan(const int* from, int* to) {
  __shared__ int sums[2][48];
  const int lane = threadIdx.x % 32;
  int* mine = sums[threadIdx.x / 32];
  if (lane < 16) mine[lane] = 0;
  __syncwarp();
  mine[lane + 16] = from[threadIdx.x];
  __syncwarp();
  for (int step = 1; step < 32; step *= 2) {
    const int sum = mine[lane + 16] + mine[lane + 16 - (step > 16 ? 0 : step)];
    __syncwarp();
    mine[lane + 16] = sum;
    __syncwarp();
  }
  to[threadIdx.x] = mine[lane + 16];
}

int main() {
  int x[64], y[64];
  for (int i = 0; i < 64; ++i) x[i] = i * i % 7;
  int *from, *to;
  cudaMalloc(&from, sizeof(x));
  cudaMalloc(&to, sizeof(y));
  cudaMemcpy(from, x, sizeof(x), cudaMemcpyHostToDevice);
  scan<<<1, 64>>>(from, to);
  cudaMemcpy(y, to, sizeof(y), cudaMemcpyDeviceToHost);
  int wrong = 0;
  for (int i = 0, sum = 0; i < 64; ++i) {
    sum = i % 32 == 0 ? x[i] : sum + x[i];
    wrong += y[i] != sum;
  }
  printf("%d wrong of 64\n", wrong);
  cudaFree(from);
  cudaFree(to);
}
