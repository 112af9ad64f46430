// The file launches one block of as many threads as there are values. Every block of a larger grid
// would do the same again; one it is, and its picture says that each value is read once.
// trace: --sample
// launch: grid 1x1x1
__global__ void running_sums(float* in, float* out, unsigned count) {
  extern __shared__ float sums[];
  const unsigned t = threadIdx.x;
  sums[t] = t < count ? in[t] : 0.0f;
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    __syncthreads();
    const float sum = t >= d ? sums[t] + sums[t - d] : sums[t];
    __syncthreads();
    sums[t] = sum;
  }
  if (t < count) out[t] = sums[t];
}
int main(int argc, char**) {
  float *in = nullptr, *out = nullptr;
  unsigned count = argc * 128;
  running_sums<<<1, count, count * sizeof(float)>>>(in, out, count);
}
