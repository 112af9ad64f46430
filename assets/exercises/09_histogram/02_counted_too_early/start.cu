__global__ void histogram(const unsigned* in, int* bins, int n) {
  __shared__ int own[64];
  const int t = threadIdx.x;
  if (t < 64) own[t] = 0;
  for (int i = blockIdx.x * 128 + t; i < n; i += gridDim.x * 128) {
    atomicAdd(&own[in[i] % 64], 1);
  }
  if (t < 64) atomicAdd(&bins[t], own[t]);
}
