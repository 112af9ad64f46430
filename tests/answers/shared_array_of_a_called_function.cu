// The dynamic shared array is declared in a function that the kernel calls. It gets the room that is
// touched, a double per thread at the least, and nothing is out of bounds.
// trace: --sample
__device__ double largest(double value) {
  extern __shared__ double kept[];
  kept[threadIdx.x] = value;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) kept[threadIdx.x] = fmax(kept[threadIdx.x], kept[threadIdx.x + half]);
    __syncthreads();
  }
  return kept[0];
}
__global__ void peaks(const double* in, double* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const double peak = largest(i < count ? in[i] : 0.0);
  if (threadIdx.x == 0) out[blockIdx.x] = peak;
}
