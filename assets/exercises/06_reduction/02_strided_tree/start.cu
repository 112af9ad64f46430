__global__ void reduce(const int* in, int* sum, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
  part[t] = i < n ? in[i] : 0;
  __syncthreads();
  for (int s = 1; s < 256; s *= 2) {
    const int at = 2 * s * t;
    if (at < 256) part[at] += part[at + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, part[0]);
}
