// Memory of a loop's rounds has the same addresses again, but not at once: what was freed in the
// round before is nobody's.
// output: 496 12
// finding: out_of_bounds 10
// finding text: has been freed
// launches: 13
// repeated: 6
#include <cstdio>

__global__ void add(int* data, int* sum) { atomicAdd(sum, data[threadIdx.x]); }

int main() {
  int host[32], sum = 0, rounds = 0, *before = nullptr, *total;
  for (int i = 0; i < 32; ++i) host[i] = i;
  cudaMalloc(&total, sizeof sum);
  for (; rounds < 12; ++rounds) {
    int* data;
    cudaMalloc(&data, sizeof host);
    cudaMemcpy(data, host, sizeof host, cudaMemcpyHostToDevice);
    cudaMemset(total, 0, sizeof sum);
    add<<<1, 32>>>(data, total);
    cudaMemcpy(&sum, total, sizeof sum, cudaMemcpyDeviceToHost);
    cudaFree(data);
    before = data;
  }
  std::printf("%d %d\n", sum, rounds);
  add<<<1, 32>>>(before, total);
  cudaDeviceSynchronize();
  cudaFree(total);
}
