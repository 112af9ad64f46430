// Matrix times vector, rank-one updates, dot products: BLAS 1 and 2 by several hands.
#include <cuda_fp16.h>

// A block to a row, two float4 at a time, rows 16-byte aligned by a pitch; tail by single floats.
extern "C" __global__ void gemv_block_row(const float* __restrict__ a, const float* __restrict__ x,
                                          float* __restrict__ y, int cols, int ld) {
  __shared__ float part[8];
  const float* row = a + (size_t)blockIdx.x * ld;
  const int t = threadIdx.x, c4 = cols / 4;
  float sum = 0.f;
  for (int i = t; i < c4; i += blockDim.x) {
    const float4 u = reinterpret_cast<const float4*>(row)[i], v = reinterpret_cast<const float4*>(x)[i];
    sum += u.x * v.x + u.y * v.y + u.z * v.z + u.w * v.w;
  }
  for (int i = c4 * 4 + t; i < cols; i += blockDim.x) sum += row[i] * x[i];
  for (int o = 16; o; o >>= 1) sum += __shfl_down_sync(0xffffffff, sum, o);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  if (t == 0) {
    float all = 0.f;
    for (int w = 0; w < (int)blockDim.x / 32; ++w) all += part[w];
    y[blockIdx.x] = all;
  }
}

// A warp to four rows at once, pitch of 4093 or whatever, x read once.
extern "C" __global__ void gemv_warp_rows(const float* a, const float* x, float* y, int rows, int cols, int ld) {
  const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31, r0 = warp * 4;
  if (r0 >= rows) return;
  float s[4] = {};
#pragma unroll 2
  for (int c = lane; c < cols; c += 32) {
    const float v = x[c];
#pragma unroll
    for (int i = 0; i < 4; ++i)
      if (r0 + i < rows) s[i] = fmaf(a[(r0 + i) * ld + c], v, s[i]);
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    for (int o = 16; o; o >>= 1) s[i] += __shfl_xor_sync(0xffffffff, s[i], o);
  if (lane < 4 && r0 + lane < rows) y[r0 + lane] = lane == 0 ? s[0] : lane == 1 ? s[1] : lane == 2 ? s[2] : s[3];
}

// y = A^T x: a thread to a column, strips of rows over blockIdx.y, atomics; a block of 1 x 256 in one variant.
template <typename T>
__global__ void gemv_t(const T* a, const T* x, T* y, int rows, int cols, int strip) {
  const int c = blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;
  if (c >= cols) return;
  T sum = 0;
  const int r1 = min(rows, (int)(blockIdx.y + 1) * strip);
  for (int r = blockIdx.y * strip; r < r1; ++r) sum += a[(size_t)r * cols + c] * __ldg(x + r);
  atomicAdd(y + c, sum);
}

// Symmetric, only the lower triangle stored; a block to a strip of 32 rows.
extern "C" __global__ void symv_lower(const double* a, const double* x, double* y, int n) {
  __shared__ double tile[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y, row0 = blockIdx.x * 32;  // 32 x 8
  double sum = 0.0;
  for (int c0 = 0; c0 < n; c0 += 32) {
    __syncthreads();
    for (int r = ty; r < 32; r += 8) {
      const int i = row0 + r, j = c0 + tx;
      const bool flip = c0 > row0;
      const int lo = flip ? c0 + r : i, hi = flip ? row0 + tx : j;
      const double v = lo < n && hi < n && lo >= hi ? a[lo * n + hi] : 0.0;
      if (flip) tile[tx][r] = v;
      else tile[r][tx] = v;
    }
    __syncthreads();
    for (int j = ty; j < 32; j += 8) {
      double v = tile[tx][j];
      if (c0 == row0 && j > tx) v = tile[j][tx];
      if (c0 + j < n) sum += v * x[c0 + j];
    }
  }
  __syncthreads();
  tile[ty][tx] = sum;
  __syncthreads();
  if (ty == 0 && row0 + tx < n) {
    double all = 0.0;
#pragma unroll
    for (int k = 0; k < 8; ++k) all += tile[k][tx];
    y[row0 + tx] = all;
  }
}

// A += alpha x y^T, four columns to a thread by float4, the rows in a loop.
extern "C" __global__ void ger(float alpha, const float* x, const float4* y, float4* a, int rows, int cols4) {
  const int c = blockIdx.x * blockDim.x + threadIdx.x;
  if (c >= cols4) return;
  const float4 v = y[c];
#pragma unroll 4
  for (int r = blockIdx.y; r < rows; r += gridDim.y) {
    const float s = alpha * x[r];
    float4 e = a[r * cols4 + c];
    e.x += s * v.x;
    e.y += s * v.y;
    e.z += s * v.z;
    e.w += s * v.w;
    a[r * cols4 + c] = e;
  }
}

// y = a x + y with strides as BLAS has them, negative ones too; eight elements to a thread, unrolled.
template <typename T>
__global__ void axpy_strided(int n, T a, const T* x, int incx, T* y, int incy) {
  const int base = (blockIdx.x * blockDim.x) * 8 + threadIdx.x;
  const T* px = incx < 0 ? x - (long long)(n - 1) * incx : x;
  T* py = incy < 0 ? y - (long long)(n - 1) * incy : y;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const int i = base + k * blockDim.x;
    if (i < n) py[(long long)i * incy] += a * px[(long long)i * incx];
  }
}

// Complex dot products: interleaved float2 against split parts.
extern "C" __global__ void cdot(const float2* x, const float* re, const float* im, float2* out, int n) {
  __shared__ float2 s[128];
  float2 sum = {0.f, 0.f};
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) {
    const float2 a = x[i];
    sum.x += a.x * re[i] + a.y * im[i];
    sum.y += a.x * im[i] - a.y * re[i];
  }
  s[threadIdx.x] = sum;
  __syncthreads();
#pragma unroll
  for (int o = 64; o > 0; o /= 2) {
    if (threadIdx.x < o) {
      s[threadIdx.x].x += s[threadIdx.x + o].x;
      s[threadIdx.x].y += s[threadIdx.x + o].y;
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = s[0];
}

// int8 weights with a scale to each group of 32, halves in x: four weights to a word.
extern "C" __global__ void gemv_quantised(const int* w, const __half* scale, const __half* x, float* y, int words) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  float sum = 0.0f;
  for (int i = lane; i < words; i += 32) {
    const int q = w[row * words + i];
    const float s = __half2float(scale[row * (words / 8) + i / 8]);
    float part = 0.0f;
#pragma unroll
    for (int b = 0; b < 4; ++b) part += (float)(signed char)(q >> (8 * b)) * __half2float(x[i * 4 + b]);
    sum = fmaf(part, s, sum);
  }
#pragma unroll
  for (int o = 1; o < 32; o <<= 1) sum += __shfl_xor_sync(~0u, sum, o);
  if (lane == 0) y[row] = sum;
}
