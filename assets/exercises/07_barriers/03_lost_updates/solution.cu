__global__ void count_negative(const int* in, int* count, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n && in[i] < 0) {
    atomicAdd(count, 1);
  }
}
