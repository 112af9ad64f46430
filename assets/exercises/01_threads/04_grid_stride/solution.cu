__global__ void square(const float* in, float* out, int n) {
  const int threads = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) {
    out[i] = in[i] * in[i];
  }
}
