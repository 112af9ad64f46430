// Each block makes the running sums of its own 256 numbers.
__global__ void scan(const int* in, int* out, int n) {
  __shared__ int part[2][256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  part[0][t] = i < n ? in[i] : 0;
  __syncthreads();
  int from = 0;
  for (int s = 1; s < 256; s *= 2) {
    const int before = t >= s ? part[from][t - s] : 0;
    part[1 - from][t] = part[from][t] + before;
    from = 1 - from;
    __syncthreads();
  }
  if (i < n) out[i] = part[from][t];
}
