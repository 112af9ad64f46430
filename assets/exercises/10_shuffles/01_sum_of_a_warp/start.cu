// One number for each warp: the sum of its 32.
__global__ void sum_warps(const int* in, int* sum, int n) {
  __shared__ int part[128];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 128 + t;
  const int lane = t % 32;
  part[t] = i < n ? in[i] : 0;
  for (int s = 16; s > 0; s /= 2) {
    __syncthreads();
    if (lane < s) part[t] += part[t + s];
  }
  if (lane == 0 && i < n) sum[i / 32] = part[t];
}
