__global__ void histogram(const unsigned* in, int* bins, int n) {
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
    atomicAdd(&bins[in[i] % 64], 1);
  }
}
