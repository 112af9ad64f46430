constexpr int kPart = 250;  // elements of a block

__global__ void negate(const float* in, float* out, int n) {
  const int i = blockIdx.x * kPart + threadIdx.x;
  if (threadIdx.x < kPart && i < n) {
    out[i] = -in[i];
  }
}
