__global__ void reverse(const float* re, const float* im, float* out_re, float* out_im, int n) {
  __shared__ float part[2 * 256];
  const int t = threadIdx.x;
  const int first = blockIdx.x * 256;
  const int count = min(256, n - first);  // of this block
  if (t < count) {
    part[2 * t] = re[first + t];
    part[2 * t + 1] = im[first + t];
  }
  __syncthreads();
  if (t < count) {
    out_re[first + t] = part[2 * (count - 1 - t)];
    out_im[first + t] = part[2 * (count - 1 - t) + 1];
  }
}
