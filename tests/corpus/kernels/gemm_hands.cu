// Single-precision products of matrices as several hands write them.
#include <cuda_fp16.h>

// BLAS-like: 2 x 2 results to a thread of an 8 x 8 block, leading dimensions, alpha and beta.
#define TILE 16
#define DEPTH 8
extern "C" __global__ void sgemm_2x2(int M, int N, int K, float alpha, const float* A, int lda,
                                     const float* B, int ldb, float beta, float* C, int ldc) {
  __shared__ float As[DEPTH][TILE + 2];
  __shared__ float Bs[DEPTH][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y, tid = ty * 8 + tx;
  const int row = blockIdx.y * TILE, col = blockIdx.x * TILE;
  float c00 = 0, c01 = 0, c10 = 0, c11 = 0;
  for (int k = 0; k < K; k += DEPTH) {
    for (int i = tid; i < TILE * DEPTH; i += 64) {
      const int r = i / DEPTH, kk = i % DEPTH;
      As[kk][r] = (row + r < M && k + kk < K) ? A[(row + r) * lda + k + kk] : 0.0f;
    }
    for (int i = tid; i < TILE * DEPTH; i += 64) {
      const int kk = i / TILE, c = i % TILE;
      Bs[kk][c] = (col + c < N && k + kk < K) ? B[(k + kk) * ldb + col + c] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < DEPTH; ++kk) {
      const float2 a = *reinterpret_cast<const float2*>(&As[kk][2 * ty]);
      const float2 b = *reinterpret_cast<const float2*>(&Bs[kk][2 * tx]);
      c00 += a.x * b.x;
      c01 += a.x * b.y;
      c10 += a.y * b.x;
      c11 += a.y * b.y;
    }
    __syncthreads();
  }
  const int r = row + 2 * ty, c = col + 2 * tx;
  if (r < M && c < N) C[r * ldc + c] = alpha * c00 + beta * C[r * ldc + c];
  if (r < M && c + 1 < N) C[r * ldc + c + 1] = alpha * c01 + beta * C[r * ldc + c + 1];
  if (r + 1 < M && c < N) C[(r + 1) * ldc + c] = alpha * c10 + beta * C[(r + 1) * ldc + c];
  if (r + 1 < M && c + 1 < N)
    C[(r + 1) * ldc + c + 1] = alpha * c11 + beta * C[(r + 1) * ldc + c + 1];
}

// 128 x 128 x 8 with 8 x 8 to a thread in two halves of four; edges of any size are predicated.
extern "C" __global__ void __launch_bounds__(256)
    sgemm_128_edge(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
                   int M, int N, int K) {
  __shared__ __align__(16) float sA[8][128 + 4];
  __shared__ __align__(16) float sB[8][128];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int m0 = blockIdx.y * 128, n0 = blockIdx.x * 128;
  float acc[8][8];
#pragma unroll
  for (int i = 0; i < 8; i++)
#pragma unroll
    for (int j = 0; j < 8; j++) acc[i][j] = 0.f;
  for (int k0 = 0; k0 < K; k0 += 8) {
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int m = t / 8 + i * 32, k = t % 8;
      sA[k][m] = (m0 + m < M && k0 + k < K) ? A[(m0 + m) * K + k0 + k] : 0.f;
    }
#pragma unroll
    for (int i = 0; i < 4; i++) {
      const int k = t / 128 + i * 2, n = t % 128;
      sB[k][n] = (n0 + n < N && k0 + k < K) ? B[(k0 + k) * N + n0 + n] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; k++) {
      float a[8], b[8];
      *(float4*)&a[0] = *(const float4*)&sA[k][ty * 4];
      *(float4*)&a[4] = *(const float4*)&sA[k][64 + ty * 4];
      *(float4*)&b[0] = *(const float4*)&sB[k][tx * 4];
      *(float4*)&b[4] = *(const float4*)&sB[k][64 + tx * 4];
#pragma unroll
      for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) acc[i][j] = fmaf(a[i], b[j], acc[i][j]);
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const int m = m0 + (i / 4) * 64 + ty * 4 + i % 4;
#pragma unroll
    for (int j = 0; j < 8; j++) {
      const int n = n0 + (j / 4) * 64 + tx * 4 + j % 4;
      if (m < M && n < N) C[m * N + n] = acc[i][j];
    }
  }
}

// 64 x 64 x 16, 4 x 8 to a thread, A stored transposed and swizzled by exclusive or.
extern "C" __global__ void __launch_bounds__(128)
    sgemm_xor(const float4* A, const float4* B, float4* C, int n, int k) {
  __shared__ __align__(16) float as[16][64];
  __shared__ __align__(16) float bs[16][64];
  const int tid = threadIdx.y * blockDim.x + threadIdx.x;  // 8 x 16
  const int n4 = n / 4, k4 = k / 4;
  float acc[4][8] = {};
  for (int t = 0; t < k; t += 16) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int id = tid + i * 128;
      const int m = id / 4, q = id % 4;
      const float4 v = A[(blockIdx.y * 64 + m) * k4 + t / 4 + q];
      as[4 * q + 0][m ^ ((4 * q + 0) % 8 * 4)] = v.x;
      as[4 * q + 1][m ^ ((4 * q + 1) % 8 * 4)] = v.y;
      as[4 * q + 2][m ^ ((4 * q + 2) % 8 * 4)] = v.z;
      as[4 * q + 3][m ^ ((4 * q + 3) % 8 * 4)] = v.w;
      const int r = id / 16, c = id % 16;
      *(float4*)&bs[r][4 * c] = B[(t + r) * n4 + blockIdx.x * 16 + c];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 16; ++kk) {
      const float4 a = *(const float4*)&as[kk][(threadIdx.y * 4) ^ (kk % 8 * 4)];
      const float4 b0 = *(const float4*)&bs[kk][threadIdx.x * 8];
      const float4 b1 = *(const float4*)&bs[kk][threadIdx.x * 8 + 4];
      const float av[4] = {a.x, a.y, a.z, a.w};
      const float bv[8] = {b0.x, b0.y, b0.z, b0.w, b1.x, b1.y, b1.z, b1.w};
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j) acc[i][j] += av[i] * bv[j];
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    float4* to = C + (blockIdx.y * 64 + threadIdx.y * 4 + i) * n4 + blockIdx.x * 16 + threadIdx.x * 2;
    to[0] = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
    to[1] = make_float4(acc[i][4], acc[i][5], acc[i][6], acc[i][7]);
  }
}

// 2 x 16 to a thread: rows apart by blockDim.y, columns apart by blockDim.x. C += A B^T.
template <int PAD>
__global__ void sgemm_nt_2x16(const float* A, const float* Bt, float* C, int N, int K) {
  __shared__ float a[32][16 + PAD], b[64][16 + PAD];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 4 + tx;  // 4 x 16
  float c[2][16] = {{0}};
  for (int k = 0; k < K; k += 16) {
    for (int i = t; i < 32 * 16; i += 64) a[i >> 4][i & 15] = A[(blockIdx.y * 32 + (i >> 4)) * K + k + (i & 15)];
    for (int i = t; i < 64 * 16; i += 64) b[i >> 4][i & 15] = Bt[(blockIdx.x * 64 + (i >> 4)) * K + k + (i & 15)];
    __syncthreads();
    for (int p = 0; p < 16; ++p) {
      const float a0 = a[ty][p], a1 = a[ty + 16][p];
#pragma unroll
      for (int j = 0; j < 16; ++j) {
        const float v = b[tx + 4 * j][p];
        c[0][j] += a0 * v;
        c[1][j] += a1 * v;
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 16; ++j) {
    C[(blockIdx.y * 32 + ty) * N + blockIdx.x * 64 + tx + 4 * j] += c[0][j];
    C[(blockIdx.y * 32 + ty + 16) * N + blockIdx.x * 64 + tx + 4 * j] += c[1][j];
  }
}

// Stream-K: the steps of all tiles in one row, cut evenly; parts of tiles meet by atomics.
extern "C" __global__ void stream_k(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float sa[32][9], sb[8][32];
  const int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;  // 256
  const int across = N / 32, steps = K / 8, all = M / 32 * across * steps;
  const int each = (all + gridDim.x - 1) / gridDim.x;
  int at = blockIdx.x * each;
  const int end = min(at + each, all);
  while (at < end) {
    const int tile = at / steps, row = tile / across * 32, col = tile % across * 32;
    const int stop = min((tile + 1) * steps, end);
    float s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    for (; at < stop; ++at) {
      const int k = at % steps * 8, t = threadIdx.x;
      sa[t / 8][t % 8] = A[(row + t / 8) * K + k + t % 8];
      sb[t / 32][t % 32] = B[(k + t / 32) * N + col + t % 32];
      __syncthreads();
      for (int i = 0; i < 8; ++i) {
        s00 += sa[ty][i] * sb[i][tx];
        s01 += sa[ty][i] * sb[i][tx + 16];
        s10 += sa[ty + 16][i] * sb[i][tx];
        s11 += sa[ty + 16][i] * sb[i][tx + 16];
      }
      __syncthreads();
    }
    atomicAdd(&C[(row + ty) * N + col + tx], s00);
    atomicAdd(&C[(row + ty) * N + col + tx + 16], s01);
    atomicAdd(&C[(row + ty + 16) * N + col + tx], s10);
    atomicAdd(&C[(row + ty + 16) * N + col + tx + 16], s11);
  }
}

// Batched, strided, column-major, either operand transposed; T is float or double.
template <typename T, bool TA, bool TB>
__global__ void gemm_batched(int m, int n, int k, const T* a, int lda, long long sa, const T* b,
                             int ldb, long long sb, T* c, int ldc, long long sc) {
  __shared__ T ta[16][16 + 1];
  __shared__ T tb[16][16 + 1];
  a += blockIdx.z * sa;
  b += blockIdx.z * sb;
  c += blockIdx.z * sc;
  const int x = threadIdx.x, y = threadIdx.y;
  const int i = blockIdx.x * 16 + x, j = blockIdx.y * 16 + y;
  T sum = T(0);
  for (int p = 0; p < k; p += 16) {
    if (TA) {
      const int col = blockIdx.x * 16 + y;
      ta[x][y] = p + x < k && col < m ? a[p + x + col * lda] : T(0);
    } else {
      ta[y][x] = p + y < k && i < m ? a[i + (p + y) * lda] : T(0);
    }
    if (TB) {
      const int row = blockIdx.y * 16 + x;
      tb[x][y] = p + y < k && row < n ? b[row + (p + y) * ldb] : T(0);
    } else {
      tb[y][x] = p + x < k && j < n ? b[p + x + j * ldb] : T(0);
    }
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 16; ++q) sum += ta[q][x] * tb[y][q];
    __syncthreads();
  }
  if (i < m && j < n) c[i + j * ldc] = sum;
}
