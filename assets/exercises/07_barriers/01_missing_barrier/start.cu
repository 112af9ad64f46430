__global__ void reverse(const int* in, int* out, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  const int first = blockIdx.x * 256;
  const int count = min(256, n - first);  // of this block
  if (t < count) part[t] = in[first + t];
  if (t < count) out[first + t] = part[count - 1 - t];
}
