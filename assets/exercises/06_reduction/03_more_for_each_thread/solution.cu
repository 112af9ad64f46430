__global__ void reduce(const int* in, int* sum, int n) {
  __shared__ int part[256];
  const int t = threadIdx.x;
  int own = 0;
  for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) own += in[i];
  part[t] = own;
  __syncthreads();
  for (int s = 128; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  if (t == 0) atomicAdd(sum, part[0]);
}
