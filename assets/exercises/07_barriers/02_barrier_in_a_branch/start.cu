__global__ void differences(const int* in, int* out, int n) {
  __shared__ int part[128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 128 + t;
  if (i >= n) return;
  part[t] = in[i];
  __syncthreads();
  out[i] = t == 0 ? part[0] : part[t] - part[t - 1];
}
