__global__ void reduce(const int* in, int* sum, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  for (int first = blockIdx.x * 256; first < n; first += gridDim.x * 256) {
    part[t] = first + t < n ? in[first + t] : 0;
    __syncthreads();
    for (int s = 128; s > 0; s /= 2) {
      if (t < s) part[t] += part[t + s];
      __syncthreads();
    }
    if (t == 0) atomicAdd(sum, part[0]);
    __syncthreads();
  }
}
