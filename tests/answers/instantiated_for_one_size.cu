// The template is instantiated by the file, for 128: that size it is made for. With 16 its array would
// have no element.
// trace: --sample
// launch: kernel sums_of<128>, block 128x1x1
template <int LANES>
__global__ void sums_of(const float* in, float* sums, int count) {
  __shared__ float parts[LANES / 32];
  const int t = threadIdx.x, i = blockIdx.x * LANES + t;
  float sum = i < count ? in[i] : 0.0f;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (t % 32 == 0) parts[t / 32] = sum;
  __syncthreads();
  if (t != 0) return;
  for (int warp = 1; warp < LANES / 32; ++warp) sum += parts[warp];
  sums[blockIdx.x] = sum;
}
template __global__ void sums_of<128>(const float*, float*, int);
