// Small dense algebra: factors of tiles, many small products, products of narrow types.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

// LU without pivots of a 32 x 32 tile, a thread a column, dynamically bounded.
extern "C" __global__ void lu_tile(float* a, int n) {
  __shared__ float s[32][33];
  const int tx = threadIdx.x, ty = threadIdx.y;
  float* const tile = a + blockIdx.x * n * n;
  for (int y = ty; y < n; y += blockDim.y) s[y][tx] = tile[y * n + tx] + (y == tx ? 8.0f : 0.0f);
  __syncthreads();
  for (int k = 0; k < n - 1; ++k) {
    if (ty == 0 && tx > k) s[tx][k] /= s[k][k];
    __syncthreads();
    if (tx > k) {
      for (int y = k + 1 + ty; y < n; y += blockDim.y) s[y][tx] -= s[y][k] * s[k][tx];
    }
    __syncthreads();
  }
  for (int y = ty; y < n; y += blockDim.y) tile[y * n + tx] = s[y][tx];
}

// Cholesky of 16 x 16 tiles of doubles, 16 x 16 threads, the lower triangle kept.
extern "C" __global__ void cholesky_tile(const double* a, double* l) {
  __shared__ double s[16][16];
  const int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * 256 + y * 16 + x;
  s[y][x] = 0.5 * (a[at] + a[blockIdx.x * 256 + x * 16 + y]) + (x == y ? 20.0 : 0.0);
  __syncthreads();
  for (int k = 0; k < 16; ++k) {
    if (x == k && y == k) s[k][k] = sqrt(s[k][k]);
    __syncthreads();
    if (x == k && y > k) s[y][k] /= s[k][k];
    __syncthreads();
    if (x > k && y >= x) s[y][x] -= s[y][k] * s[x][k];
    __syncthreads();
  }
  l[at] = y >= x ? s[y][x] : 0.0;
}

// A 4 x 4 product a thread, rows as float4.
extern "C" __global__ void batched_4x4(const float4* a, const float4* b, float4* c, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4 rows[4];
#pragma unroll
  for (int k = 0; k < 4; ++k) rows[k] = b[4 * i + k];
#pragma unroll
  for (int y = 0; y < 4; ++y) {
    const float4 r = a[4 * i + y];
    float4 sum;
    sum.x = r.x * rows[0].x + r.y * rows[1].x + r.z * rows[2].x + r.w * rows[3].x;
    sum.y = r.x * rows[0].y + r.y * rows[1].y + r.z * rows[2].y + r.w * rows[3].y;
    sum.z = r.x * rows[0].z + r.y * rows[1].z + r.z * rows[2].z + r.w * rows[3].z;
    sum.w = r.x * rows[0].w + r.y * rows[1].w + r.z * rows[2].w + r.w * rows[3].w;
    c[4 * i + y] = sum;
  }
}

// 7 x 7 products, four a block, odd sizes everywhere.
extern "C" __global__ void batched_7x7(const float* a, const float* b, float* c, int batch) {
  __shared__ float as[4][7][7], bs[4][7][7];
  const int x = threadIdx.x, y = threadIdx.y, z = threadIdx.z, i = blockIdx.x * 4 + z;
  if (i < batch) {
    as[z][y][x] = a[i * 49 + y * 7 + x];
    bs[z][y][x] = b[i * 49 + y * 7 + x];
  }
  __syncthreads();
  if (i >= batch) return;
  float sum = 0;
  for (int k = 0; k < 7; ++k) sum += as[z][y][k] * bs[z][k][x];
  c[i * 49 + y * 7 + x] = sum;
}

// Forward substitution with a triangle in shared memory, a right-hand side a thread.
extern "C" __global__ void solve_lower(const float* l, float* b, int n, int sides) {
  extern __shared__ float tri[];
  for (int i = threadIdx.x; i < n * (n + 1) / 2; i += blockDim.x) tri[i] = l[i];
  __syncthreads();
  const int side = blockIdx.x * blockDim.x + threadIdx.x;
  if (side >= sides) return;
  for (int r = 0, row = 0; r < n; row += ++r) {
    float v = b[r * sides + side];
    for (int c = 0; c < r; ++c) v -= tri[row + c] * b[c * sides + side];
    b[r * sides + side] = v / (tri[row + r] + 3.0f);
  }
}

// Each block a slice of k, added to c by atomics.
extern "C" __global__ void split_k(const float* a, const float* b, float* c, int m, int n, int k,
                                   int slice) {
  __shared__ float as[16][16 + 1], bs[16][16];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  const int begin = blockIdx.z * slice, end = min(begin + slice, k);
  float sum = 0.0f;
  for (int k0 = begin; k0 < end; k0 += 16) {
    as[x][y] = row < m && k0 + x < end ? a[row * k + k0 + x] : 0.0f;
    bs[y][x] = col < n && k0 + y < end ? b[(k0 + y) * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) sum += as[i][y] * bs[i][x];
    __syncthreads();
  }
  if (row < m && col < n) atomicAdd(c + row * n + col, sum);
}

// 64 x 64 doubles by 16 x 16 threads, 4 x 4 each, vector loads of two.
extern "C" __global__ void dgemm_tile(const double* a, const double* b, double* c, int n, int k) {
  __shared__ double2 as[8][32], bs[8][32];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  double sum[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += 8) {
    for (int i = t; i < 8 * 32; i += 256) {
      const int kk = i / 32, pair = i % 32;
      as[kk][pair] = {a[(blockIdx.y * 64 + 2 * pair) * k + k0 + kk],
                      a[(blockIdx.y * 64 + 2 * pair + 1) * k + k0 + kk]};
      bs[kk][pair] = reinterpret_cast<const double2*>(b + (k0 + kk) * n + blockIdx.x * 64)[pair];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 8; ++kk) {
      const double2 a0 = as[kk][ty * 2], a1 = as[kk][ty * 2 + 1];
      const double2 b0 = bs[kk][tx * 2], b1 = bs[kk][tx * 2 + 1];
      const double av[4] = {a0.x, a0.y, a1.x, a1.y}, bv[4] = {b0.x, b0.y, b1.x, b1.y};
#pragma unroll
      for (int i = 0; i < 4; ++i) {
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += av[i] * bv[j];
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    double2* const to = reinterpret_cast<double2*>(c + (blockIdx.y * 64 + ty * 4 + i) * n +
                                                   blockIdx.x * 64 + tx * 4);
    to[0] = {sum[i][0], sum[i][1]};
    to[1] = {sum[i][2], sum[i][3]};
  }
}

// y = A x, a warp a row, eight halves a load.
extern "C" __global__ void gemv_half(const __half* a, const __half* x, __half* y, int rows,
                                     int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int c = threadIdx.x * 8; c < cols; c += 256) {
    const uint4 av = __ldcs(reinterpret_cast<const uint4*>(a + row * cols + c));
    const uint4 xv = *reinterpret_cast<const uint4*>(x + c);
    const __half2* ah = reinterpret_cast<const __half2*>(&av);
    const __half2* xh = reinterpret_cast<const __half2*>(&xv);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float2 p = __half22float2(ah[i]), q = __half22float2(xh[i]);
      sum += p.x * q.x + p.y * q.y;
    }
  }
  for (int o = 16; o > 0; o >>= 1) sum += __shfl_xor_sync(0xffffffffu, sum, o);
  if (threadIdx.x == 0) y[row] = __float2half(sum);
}

extern "C" __global__ void gemv_bf16(const __nv_bfloat162* a, const __nv_bfloat162* x,
                                     __nv_bfloat16* y, int rows, int pairs) {
  __shared__ float part[128];
  __nv_bfloat162 sum = __float2bfloat162_rn(0.0f);
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    sum = __hfma2(a[blockIdx.x * pairs + i], x[i], sum);
  }
  part[threadIdx.x] = __low2float(sum) + __high2float(sum);
  __syncthreads();
  for (int half = 64; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = __float2bfloat16(part[0]);
}

// Bytes by four: A row-major, B as columns, both packed along k.
extern "C" __global__ void gemm_dp4a(const int* a, const int* b, int* c, int n, int words) {
  __shared__ int as[16][20], bs[16][20];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 16 + y, col = blockIdx.x * 16 + x;
  int sum = 0;
  for (int k = 0; k < words; k += 16) {
    as[y][x] = a[row * words + k + x];
    bs[y][x] = b[(blockIdx.x * 16 + y) * words + k + x];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; i += 4) {
      const int4 p = *reinterpret_cast<int4*>(&as[y][i]), q = *reinterpret_cast<int4*>(&bs[x][i]);
      sum = __dp4a(p.x, q.x, sum);
      sum = __dp4a(p.y, q.y, sum);
      sum = __dp4a(p.z, q.z, sum);
      sum = __dp4a(p.w, q.w, sum);
    }
    __syncthreads();
  }
  c[row * n + col] = sum;
}

// WMMA as the guide shows it: 32 x 32 by four warps over tiles in shared memory with a skew.
extern "C" __global__ void wmma_skewed(const half* a, const half* b, float* c, int n, int k) {
  using namespace nvcuda;
  __shared__ half as[32][32 + 8], bs[32][32 + 8];
  const int t = threadIdx.x, warp = t / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k0 = 0; k0 < k; k0 += 32) {
    const int y = t / 4, x = t % 4 * 8;
    *reinterpret_cast<int4*>(&as[y][x]) =
        *reinterpret_cast<const int4*>(a + (blockIdx.y * 32 + y) * k + k0 + x);
    *reinterpret_cast<int4*>(&bs[y][x]) =
        *reinterpret_cast<const int4*>(b + (k0 + y) * n + blockIdx.x * 32 + x);
    __syncthreads();
    for (int i = 0; i < 32; i += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
      wmma::load_matrix_sync(fa, &as[warp / 2 * 16][i], 40);
      wmma::load_matrix_sync(fb, &bs[i][warp % 2 * 16], 40);
      wmma::mma_sync(sum, fa, fb, sum);
    }
    __syncthreads();
  }
  wmma::store_matrix_sync(
      c + (blockIdx.y * 32 + warp / 2 * 16) * n + blockIdx.x * 32 + warp % 2 * 16, sum, n,
      wmma::mem_row_major);
}

// Half accumulators and a transposed B, the result through shared memory.
extern "C" __global__ void wmma_half_out(const half* a, const half* b, half* c, int k) {
  using namespace nvcuda;
  __shared__ half tile[4][32 * 8];
  const int warp = threadIdx.y, row = blockIdx.x * 4 + warp;
  wmma::fragment<wmma::accumulator, 32, 8, 16, half> sum;
  wmma::fill_fragment(sum, __float2half(0.0f));
  for (int k0 = 0; k0 < k; k0 += 16) {
    wmma::fragment<wmma::matrix_a, 32, 8, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 32, 8, 16, half, wmma::col_major> fb;
    wmma::load_matrix_sync(fa, a + row * 32 * k + k0, k);
    wmma::load_matrix_sync(fb, b + k0, k);
    wmma::mma_sync(sum, fa, fb, sum);
  }
  for (int i = 0; i < sum.num_elements; ++i) sum.x[i] = __hmax(sum.x[i], __float2half(0.0f));
  wmma::store_matrix_sync(tile[warp], sum, 8, wmma::mem_row_major);
  __syncwarp();
  const uint4* from = reinterpret_cast<const uint4*>(tile[warp]);
  reinterpret_cast<uint4*>(c)[row * 32 + threadIdx.x] = from[threadIdx.x];
}
