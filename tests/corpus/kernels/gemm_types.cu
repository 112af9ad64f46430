// Products of other element types, three buffers in turn, a tile to a warp.
#include <cuda_fp16.h>

// double2 along rows, 32 x 32 tile by 16 x 16 threads, 2 x 2 each.
extern "C" __global__ void dgemm_double2(const double2* A, const double2* B, double2* C, int n, int k) {
  __shared__ double2 a[32][4], b[8][16];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 16 + tx;
  double2 r0 = {0, 0}, r1 = {0, 0};
  for (int p = 0; p < k; p += 8) {
    if (t < 128) a[t >> 2][t & 3] = A[((blockIdx.y * 32 + (t >> 2)) * k + p) / 2 + (t & 3)];
    else b[(t - 128) >> 4][t & 15] = B[((p + ((t - 128) >> 4)) * n) / 2 + blockIdx.x * 16 + (t & 15)];
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 4; ++q) {
      const double2 u = a[2 * ty][q], v = a[2 * ty + 1][q];
      const double2 w = b[2 * q][tx], x = b[2 * q + 1][tx];
      r0.x += u.x * w.x + u.y * x.x;
      r0.y += u.x * w.y + u.y * x.y;
      r1.x += v.x * w.x + v.y * x.x;
      r1.y += v.x * w.y + v.y * x.y;
    }
    __syncthreads();
  }
  double2* to = C + (blockIdx.y * 32 + 2 * ty) * n / 2 + blockIdx.x * 16 + tx;
  to[0] = r0;
  to[n / 2] = r1;
}

// half with two results to an HFMA2; B's tile in half2, A's a half at a time (2-byte stores).
extern "C" __global__ void hgemm_half2(const __half* A, const __half2* B, __half2* C, int n, int k) {
  __shared__ __half as[32][32 + 2];
  __shared__ __half2 bs[32][32];
  const int tx = threadIdx.x, ty = threadIdx.y;  // 32 x 4
  __half2 acc[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) acc[i] = __float2half2_rn(0.0f);
  for (int p = 0; p < k; p += 32) {
#pragma unroll
    for (int r = ty; r < 32; r += 4) {
      as[tx][r] = A[(blockIdx.y * 32 + r) * k + p + tx];
      bs[r][tx] = B[(p + r) * (n / 2) + blockIdx.x * 32 + tx];
    }
    __syncthreads();
#pragma unroll 8
    for (int q = 0; q < 32; ++q) {
      const __half2 w = bs[q][tx];
#pragma unroll
      for (int i = 0; i < 8; ++i) acc[i] = __hfma2(__half2half2(as[q][ty * 8 + i]), w, acc[i]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) C[(blockIdx.y * 32 + ty * 8 + i) * (n / 2) + blockIdx.x * 32 + tx] = acc[i];
}

// bytes: A read as char4, turned so that k runs along words, then dp4a.
extern "C" __global__ void igemm_bytes(const signed char* A, const signed char* B, int* C, int n, int k) {
  __shared__ signed char sa[32][32 + PAD];
  __shared__ signed char sb[32][32 + PAD];  // [column][k]
  const int tx = threadIdx.x, ty = threadIdx.y;  // 32 x 8
  int acc[4] = {0, 0, 0, 0};
  for (int p = 0; p < k; p += 32) {
    for (int r = ty; r < 32; r += 8) {
      sa[r][tx] = A[(blockIdx.y * 32 + r) * k + p + tx];
      sb[tx][r] = B[(p + r) * n + blockIdx.x * 32 + tx];
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 8; ++q) {
      const int w = *(const int*)&sb[tx][4 * q];
#pragma unroll
      for (int i = 0; i < 4; ++i) acc[i] = __dp4a(*(const int*)&sa[ty * 4 + i][4 * q], w, acc[i]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) C[(blockIdx.y * 32 + ty * 4 + i) * n + blockIdx.x * 32 + tx] = acc[i];
}

// shorts in shared memory, 64-bit sums, a block of 64 x 2.
extern "C" __global__ void gemm_short(const short* A, const short* B, long long* C, int n, int k) {
  extern __shared__ short pool[];
  short* const a = pool;           // [2][k]
  short* const b = pool + 2 * k;   // [16][64]
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 2 + y, col = blockIdx.x * 64 + x;
  for (int i = x; i < k; i += 64) a[y * k + i] = A[row * k + i];
  long long sum = 0;
  for (int p = 0; p < k; p += 16) {
    __syncthreads();
    for (int r = y; r < 16; r += 2) b[r * 64 + x] = B[(p + r) * n + col];
    __syncthreads();
    for (int q = 0; q < 16; ++q) sum += (int)a[y * k + p + q] * b[q * 64 + x];
  }
  C[row * n + col] = sum;
}

// Three shared buffers, loads two steps ahead kept in registers; one barrier a step.
extern "C" __global__ void __launch_bounds__(64)
    sgemm_triple(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                 int n, int k) {
  __shared__ __align__(16) float a[3][8][32 + 4], b[3][8][32];
  const int t = threadIdx.x, tx = t & 7, ty = t >> 3;
  const int ar = t >> 1, ac = (t & 1) * 4, br = t >> 3, bc = (t & 7) * 4;
  const float* pa = A + (blockIdx.y * 32 + ar) * k + ac;
  const float* pb = B + br * n + blockIdx.x * 32 + bc;
  float4 ra, rb;
  auto fetch = [&](int s) {
    ra = *(const float4*)(pa + s * 8);
    rb = *(const float4*)(pb + s * 8 * n);
  };
  auto put = [&](int s) {
    float(*d)[36] = a[s % 3];
    d[ac][ar] = ra.x;
    d[ac + 1][ar] = ra.y;
    d[ac + 2][ar] = ra.z;
    d[ac + 3][ar] = ra.w;
    *(float4*)&b[s % 3][br][bc] = rb;
  };
  const int steps = k / 8;
  fetch(0);
  put(0);
  if (steps > 1) fetch(1);
  float acc[4][4] = {};
  for (int s = 0; s < steps; ++s) {
    if (s + 1 < steps) put(s + 1);
    if (s + 2 < steps) fetch(s + 2);
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 8; ++q) {
      const float4 u = *(const float4*)&a[s % 3][q][ty * 4];
      const float4 v = *(const float4*)&b[s % 3][q][tx * 4];
      const float uu[4] = {u.x, u.y, u.z, u.w}, vv[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] = __fmaf_rn(uu[i], vv[j], acc[i][j]);
    }
  }
  for (int i = 0; i < 4; ++i)
    *(float4*)&C[(blockIdx.y * 32 + ty * 4 + i) * n + blockIdx.x * 32 + tx * 4] =
        make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// Outer products without shared memory: lanes hold a strip of each operand, shuffles hand it round.
extern "C" __global__ void sgemm_shuffled(const float* A, const float* B, float* C, int n, int k) {
  const int lane = threadIdx.x, warp = threadIdx.y;
  const int row = (blockIdx.y * blockDim.y + warp) * 4, col = blockIdx.x * 32 + lane;
  float acc[4] = {};
  for (int p = 0; p < k; p += 32) {
    float a[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) a[i] = A[(row + i) * k + p + lane];
#pragma unroll
    for (int q = 0; q < 32; ++q) {
      const float v = B[(p + q) * n + col];
#pragma unroll
      for (int i = 0; i < 4; ++i) acc[i] += __shfl_sync(0xffffffffu, a[i], q) * v;
    }
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) C[(row + i) * n + col] = acc[i];
}
