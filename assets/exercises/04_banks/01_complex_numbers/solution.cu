__global__ void reverse(const float* re, const float* im, float* out_re, float* out_im, int n) {
  __shared__ float real[256];
  __shared__ float imaginary[256];
  const int t = threadIdx.x;
  const int first = blockIdx.x * 256;
  const int count = min(256, n - first);  // of this block
  if (t < count) {
    real[t] = re[first + t];
    imaginary[t] = im[first + t];
  }
  __syncthreads();
  if (t < count) {
    out_re[first + t] = real[count - 1 - t];
    out_im[first + t] = imaginary[count - 1 - t];
  }
}
