// Each block makes the running sums of its own 256 numbers.
__global__ void scan(const int* in, int* out, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    const int before = t >= s ? part[t - s] : 0;
    __syncthreads();
    part[t] += before;
    __syncthreads();
  }
  if (i < n) out[i] = part[t];
}
