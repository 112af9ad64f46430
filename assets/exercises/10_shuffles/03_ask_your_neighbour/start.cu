__global__ void differences(const float* in, float* out, int n) {
  const int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) {
    out[i] = in[i + 1] - in[i];
  }
}
