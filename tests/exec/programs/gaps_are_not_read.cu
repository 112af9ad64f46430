// output: 3
#include <cstdio>

// The gap behind `flag` is never written, and is loaded with it.
struct Pair {
  int value;
  bool flag;
};
__global__ void fill(Pair* pairs) {
  pairs[threadIdx.x].value = threadIdx.x;
  pairs[threadIdx.x].flag = threadIdx.x % 2 == 1;
}
__global__ void pick(const Pair* pairs, int* out) {
  const Pair pair = pairs[threadIdx.x];
  out[threadIdx.x] = pair.flag ? pair.value : -1;
}

int main() {
  Pair* pairs;
  int *out, host[4];
  cudaMalloc(&pairs, 4 * sizeof(Pair));
  cudaMalloc(&out, sizeof host);
  fill<<<1, 4>>>(pairs);
  pick<<<1, 4>>>(pairs, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d\n", host[3]);
  cudaFree(pairs);
  cudaFree(out);
}
