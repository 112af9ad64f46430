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
  float sum = 0;
  for (int col = threadIdx.x; col < cols; col += 32) {
    const float next = fmaxf(most, x[col]);
    sum = sum * expf(scale * (most - next)) + expf(scale * (x[col] - next));
    most = next;
  }
  const float row_most = largest_of_warp(most);
  sum = sum_of_warp(sum * expf(scale * (most - row_most)));
  for (int col = threadIdx.x; col < cols; col += 32) {
    out[blockIdx.x * cols + col] = expf(scale * (x[col] - row_most)) / sum;
  }
}
