constexpr int kTile = 8192;

__global__ void smooth(const float* in, float* out, int n) {
  __shared__ float tile[kTile];
  const int t = threadIdx.x;
  const int first = blockIdx.x * 128;
  // The neighbours of the block's ends come along.
  for (int k = t; k < 130; k += 128) {
    const int i = first + k - 1;
    tile[k] = i >= 0 && i < n ? in[i] : 0;
  }
  __syncthreads();
  if (first + t < n) {
    out[first + t] = (tile[t] + tile[t + 1] + tile[t + 2]) / 3;
  }
}
