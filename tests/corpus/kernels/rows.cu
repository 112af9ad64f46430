// Work by rows: matrix times vector, softmax, layer normalisation, sparse rows.

__device__ float warp_sum(float v) {
  for (int d = 16; d > 0; d >>= 1) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}
__device__ float warp_max(float v) {
  for (int d = 16; d > 0; d >>= 1) v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
  return v;
}

extern "C" __global__ void matvec_row_per_thread(const float* a, const float* x, float* y, int rows,
                                                 int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < cols; ++i) sum += a[row * cols + i] * x[i];
  y[row] = sum;
}

extern "C" __global__ void matvec_row_per_warp(const float* a, const float* x, float* y, int rows,
                                               int cols) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  float sum = 0;
  for (int i = lane; i < cols; i += 32) sum += a[row * cols + i] * x[i];
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}

extern "C" __global__ void matvec_columns(const float* a, const float* x, float* y, int rows,
                                          int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < cols; ++i) sum += a[i * rows + row] * x[i];
  y[row] = sum;
}

extern "C" __global__ void matvec_shared_vector(const float* a, const float* x, float* y, int rows,
                                                int cols) {
  extern __shared__ float xs[];
  for (int i = threadIdx.x; i < cols; i += blockDim.x) xs[i] = x[i];
  __syncthreads();
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < cols; ++i) sum += a[i * rows + row] * xs[i];
  y[row] = sum;
}

extern "C" __global__ void softmax_warp(const float* in, float* out, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const float* from = in + row * cols;
  float most = -3e38f;
  for (int i = threadIdx.x; i < cols; i += 32) most = fmaxf(most, from[i]);
  most = warp_max(most);
  float sum = 0;
  for (int i = threadIdx.x; i < cols; i += 32) sum += __expf(from[i] - most);
  sum = warp_sum(sum);
  for (int i = threadIdx.x; i < cols; i += 32) {
    out[row * cols + i] = __expf(from[i] - most) / sum;
  }
}

extern "C" __global__ void layernorm_block(const float* in, const float* weight, const float* bias,
                                           float* out, int cols) {
  __shared__ float sums[2][32];
  const float* from = in + blockIdx.x * cols;
  float sum = 0, squares = 0;
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    sum += from[i];
    squares += from[i] * from[i];
  }
  sum = warp_sum(sum);
  squares = warp_sum(squares);
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) {
    sums[0][warp] = sum;
    sums[1][warp] = squares;
  }
  __syncthreads();
  const int warps = blockDim.x / 32;
  sum = warp_sum(lane < warps ? sums[0][lane] : 0.0f);
  squares = warp_sum(lane < warps ? sums[1][lane] : 0.0f);
  const float mean = sum / cols;
  const float scale = rsqrtf(squares / cols - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < cols; i += blockDim.x) {
    out[blockIdx.x * cols + i] = (from[i] - mean) * scale * weight[i] + bias[i];
  }
}

// Row lengths follow from the row number: 1 + row * 7 % 13 entries, `stride` apart.
extern "C" __global__ void spmv_csr_scalar(const int* column, const float* value, const float* x,
                                           float* y, int rows, int stride, int mask) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const int begin = row * stride, end = begin + 1 + row * 7 % 13;
  float sum = 0;
  for (int i = begin; i < end; ++i) sum += value[i] * x[column[i] & mask];
  y[row] = sum;
}

extern "C" __global__ void spmv_csr_warp(const int* column, const float* value, const float* x,
                                         float* y, int rows, int stride, int mask) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
  const int lane = threadIdx.x & 31;
  if (row >= rows) return;
  const int begin = row * stride, end = begin + 1 + row * 37 % stride;
  float sum = 0;
  for (int i = begin + lane; i < end; i += 32) sum += value[i] * x[column[i] & mask];
  sum = warp_sum(sum);
  if (lane == 0) y[row] = sum;
}
