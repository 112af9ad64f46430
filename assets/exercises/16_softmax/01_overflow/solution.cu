__device__ float largest_of_warp(float x) {
  for (int s = 16; s > 0; s /= 2) x = fmaxf(x, __shfl_xor_sync(0xffffffff, x, s));
  return x;
}
__device__ float sum_of_warp(float x) {
  for (int s = 16; s > 0; s /= 2) x += __shfl_xor_sync(0xffffffff, x, s);
  return x;
}

// A warp for each row.
__global__ void softmax(const float* in, float* out, float scale, int rows, int cols) {
  const float* x = in + blockIdx.x * cols;
  float most = -INFINITY;
  for (int col = threadIdx.x; col < cols; col += 32) most = fmaxf(most, x[col]);
  most = largest_of_warp(most);
  float sum = 0;
  for (int col = threadIdx.x; col < cols; col += 32) sum += expf(scale * (x[col] - most));
  sum = sum_of_warp(sum);
  for (int col = threadIdx.x; col < cols; col += 32) {
    out[blockIdx.x * cols + col] = expf(scale * (x[col] - most)) / sum;
  }
}
