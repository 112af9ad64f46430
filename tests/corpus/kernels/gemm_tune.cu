// CUTLASS-like and SIBOEHM-like tuned kernels
#include <cuda_fp16.h>

template <int BM, int BN, int BK, int TM, int TN>
struct Shape {
  static constexpr int kM = BM, kN = BN, kK = BK, kTM = TM, kTN = TN;
  static constexpr int kThreadsX = BN / TN, kThreadsY = BM / TM, kThreads = kThreadsX * kThreadsY;
};

// register tiled, contiguous sub-tile of each thread, guarded loads
template <typename S>
__device__ __forceinline__ void gemm_regs(const float* __restrict__ A, const float* __restrict__ B,
                                          float* __restrict__ C, int M, int N, int K) {
  __shared__ float As[S::kM][S::kK];
  __shared__ float Bs[S::kK][S::kN];
  const int tid = threadIdx.x;
  const int tr = tid / S::kThreadsX, tc = tid % S::kThreadsX;
  const int row0 = blockIdx.y * S::kM, col0 = blockIdx.x * S::kN;
  float acc[S::kTM][S::kTN] = {};
  for (int k0 = 0; k0 < K; k0 += S::kK) {
    for (int i = tid; i < S::kM * S::kK; i += S::kThreads) {
      int r = i / S::kK, c = i % S::kK;
      As[r][c] = (row0 + r < M && k0 + c < K) ? A[(row0 + r) * K + k0 + c] : 0.f;
    }
    for (int i = tid; i < S::kK * S::kN; i += S::kThreads) {
      int r = i / S::kN, c = i % S::kN;
      Bs[r][c] = (k0 + r < K && col0 + c < N) ? B[(k0 + r) * N + col0 + c] : 0.f;
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < S::kK; ++k) {
      float a[S::kTM], b[S::kTN];
#pragma unroll
      for (int i = 0; i < S::kTM; ++i) a[i] = As[tr * S::kTM + i][k];
#pragma unroll
      for (int j = 0; j < S::kTN; ++j) b[j] = Bs[k][tc * S::kTN + j];
#pragma unroll
      for (int i = 0; i < S::kTM; ++i)
#pragma unroll
        for (int j = 0; j < S::kTN; ++j) acc[i][j] += a[i] * b[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < S::kTM; ++i)
    for (int j = 0; j < S::kTN; ++j) {
      int r = row0 + tr * S::kTM + i, c = col0 + tc * S::kTN + j;
      if (r < M && c < N) C[r * N + c] = acc[i][j];
    }
}
#define REGS(name, ...)                                                      \
  extern "C" __global__ void __launch_bounds__(Shape<__VA_ARGS__>::kThreads) \
      name(const float* A, const float* B, float* C, int M, int N, int K) {  \
    gemm_regs<Shape<__VA_ARGS__>>(A, B, C, M, N, K);                         \
  }
REGS(regs_3x5, 24, 80, 8, 3, 5)
REGS(regs_1x7, 16, 56, 6, 1, 7)
REGS(regs_6x2, 48, 32, 9, 6, 2)
REGS(regs_5x5, 40, 40, 5, 5, 5)
REGS(regs_7x3, 56, 24, 12, 7, 3)
REGS(regs_9x1, 72, 16, 4, 9, 1)
REGS(regs_2x12, 16, 96, 7, 2, 12)
REGS(regs_10x6, 80, 48, 10, 10, 6)

// float4 everywhere, A transposed in shared on the way in
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__(BM* BN / (TM * TN))
    sgemm_vec4(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
               float beta) {
  __shared__ float As[BK * BM];
  __shared__ float Bs[BK * BN];
  const uint3 t = threadIdx;
  const int threads = BM * BN / (TM * TN);
  const int tc = t.x % (BN / TN), tr = t.x / (BN / TN);
  A += blockIdx.y * BM * K;
  B += blockIdx.x * BN;
  C += blockIdx.y * BM * N + blockIdx.x * BN;
  const int irA = t.x / (BK / 4), icA = t.x % (BK / 4), stA = threads / (BK / 4);
  const int irB = t.x / (BN / 4), icB = t.x % (BN / 4), stB = threads / (BN / 4);
  float res[TM * TN] = {0.0f};
  float rm[TM], rn[TN];
  for (int bk = 0; bk < K; bk += BK) {
    for (int o = 0; o < BM; o += stA) {
      float4 v = reinterpret_cast<const float4*>(&A[(irA + o) * K + icA * 4])[0];
      As[(icA * 4 + 0) * BM + irA + o] = v.x;
      As[(icA * 4 + 1) * BM + irA + o] = v.y;
      As[(icA * 4 + 2) * BM + irA + o] = v.z;
      As[(icA * 4 + 3) * BM + irA + o] = v.w;
    }
    for (int o = 0; o < BK; o += stB)
      reinterpret_cast<float4*>(&Bs[(irB + o) * BN + icB * 4])[0] =
          reinterpret_cast<const float4*>(&B[(irB + o) * N + icB * 4])[0];
    __syncthreads();
    A += BK;
    B += BK * N;
    for (int d = 0; d < BK; ++d) {
      for (int i = 0; i < TM; ++i) rm[i] = As[d * BM + tr * TM + i];
      for (int i = 0; i < TN; ++i) rn[i] = Bs[d * BN + tc * TN + i];
      for (int i = 0; i < TM; ++i)
        for (int j = 0; j < TN; ++j) res[i * TN + j] += rm[i] * rn[j];
    }
    __syncthreads();
  }
  for (int i = 0; i < TM; i++)
    for (int j = 0; j < TN; j += 4) {
      float4 v = reinterpret_cast<float4*>(&C[(tr * TM + i) * N + tc * TN + j])[0];
      v.x = alpha * res[i * TN + j] + beta * v.x;
      v.y = alpha * res[i * TN + j + 1] + beta * v.y;
      v.z = alpha * res[i * TN + j + 2] + beta * v.z;
      v.w = alpha * res[i * TN + j + 3] + beta * v.w;
      reinterpret_cast<float4*>(&C[(tr * TM + i) * N + tc * TN + j])[0] = v;
    }
}

// float2, A kept as is but padded by one float2 column
extern "C" __global__ void sgemm_vec2_pad(const float2* __restrict__ A,
                                          const float2* __restrict__ B, float2* C, int M, int N2,
                                          int K2) {
  __shared__ float2 As[16][17];
  __shared__ float2 Bs[32][16 + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float2 acc = {0.f, 0.f};
  for (int k = 0; k < K2; k += 16) {
    As[ty][tx] = A[row * K2 + k + tx];
    Bs[2 * ty][tx] = B[(2 * (k + ty)) * N2 + col];
    Bs[2 * ty + 1][tx] = B[(2 * (k + ty) + 1) * N2 + col];
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < 16; ++i) {
      float2 a = As[ty][i], b0 = Bs[2 * i][tx], b1 = Bs[2 * i + 1][tx];
      acc.x += a.x * b0.x + a.y * b1.x;
      acc.y += a.x * b0.y + a.y * b1.y;
    }
    __syncthreads();
  }
  C[row * N2 + col] = acc;
}

// 32x32 tile, A stored transposed with an XOR swizzle, thread tile 4x2 interleaved
extern "C" __global__ void __launch_bounds__(128, 2)
    sgemm_xor(const float* A, const float* B, float* C, int n) {
  __shared__ float At[32 * 32], Bt[32 * 32];
  int tid = threadIdx.x, lx = tid & 15, ly = tid >> 4;
  int r0 = blockIdx.y << 5, c0 = blockIdx.x << 5;
  float acc[4][2];
  for (auto& row : acc)
    for (float& v : row) v = 0.f;
  auto swz = [](int r, int c) { return r * 32 + (c ^ (r & 31)); };
  for (int k0 = 0; k0 < n; k0 += 32) {
    for (int i = tid; i < 1024; i += 128) {
      int r = i >> 5, c = i & 31;
      At[swz(c, r)] = A[(r0 + r) * n + k0 + c];
      Bt[i] = B[(k0 + r) * n + c0 + c];
    }
    __syncthreads();
#pragma unroll 4
    for (int k = 0; k < 32; ++k) {
      float b0 = Bt[k * 32 + lx], b1 = Bt[k * 32 + lx + 16];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        float a = At[swz(k, ly + 8 * i)];
        acc[i][0] += a * b0;
        acc[i][1] += a * b1;
      }
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    C[(r0 + ly + 8 * i) * n + c0 + lx] = acc[i][0];
    C[(r0 + ly + 8 * i) * n + c0 + lx + 16] = acc[i][1];
  }
}

// split-K, partial sums added with atomics
extern "C" __global__ void sgemm_splitk(const float* A, const float* B, float* C, int M, int N,
                                        int K) {
  __shared__ float a[8][33], b[32][8];
  int chunk = (K + gridDim.z - 1) / gridDim.z;
  int kb = blockIdx.z * chunk, ke = min(K, kb + chunk);
  int row = blockIdx.y * 8 + threadIdx.y, col = blockIdx.x * 8 + threadIdx.x;
  int tid = threadIdx.y * 8 + threadIdx.x;
  float s = 0;
  for (int k = kb; k < ke; k += 32) {
    for (int i = tid; i < 256; i += 64) {
      int r = i / 32, c = i % 32;
      a[r][c] = blockIdx.y * 8 + r < M && k + c < ke ? A[(blockIdx.y * 8 + r) * K + k + c] : 0.f;
      int r2 = i / 8, c2 = i % 8;
      b[r2][c2] =
          k + r2 < ke && blockIdx.x * 8 + c2 < N ? B[(k + r2) * N + blockIdx.x * 8 + c2] : 0.f;
    }
    __syncthreads();
    for (int q = 0; q < 32; ++q) s += a[threadIdx.y][q] * b[q][threadIdx.x];
    __syncthreads();
  }
  if (row < M && col < N) atomicAdd(&C[row * N + col], s);
}

// batched with strides, one small matrix per block in z, all of it in shared
template <typename T, int M, int N, int K>
__global__ void small_batched(const T* A, const T* B, T* C, int batch, long long sA, long long sB,
                              long long sC) {
  __shared__ T a[M * K], b[K * N];
  for (int z = blockIdx.x; z < batch; z += gridDim.x) {
    const T* pa = A + z * sA;
    const T* pb = B + z * sB;
    for (int i = threadIdx.x; i < M * K; i += blockDim.x) a[i] = pa[i];
    for (int i = threadIdx.x; i < K * N; i += blockDim.x) b[i] = pb[i];
    __syncthreads();
    for (int i = threadIdx.x; i < M * N; i += blockDim.x) {
      int r = i / N, c = i - r * N;
      T s = 0;
#pragma unroll
      for (int k = 0; k < K; ++k) s += a[r * K + k] * b[k * N + c];
      C[z * sC + i] = s;
    }
    __syncthreads();
  }
}

// stream-K: every block takes an equal share of all (tile, k step) pairs
extern "C" __global__ void sgemm_streamk(const float* A, const float* B, float* C, int tilesM,
                                         int tilesN, int steps) {
  __shared__ float as[16][16], bs[16][16];
  const int total = tilesM * tilesN * steps;
  const int per = (total + gridDim.x - 1) / gridDim.x;
  int it = blockIdx.x * per;
  const int end = min(total, it + per);
  const int tx = threadIdx.x, ty = threadIdx.y, N = tilesN * 16, K = steps * 16;
  while (it < end) {
    const int tile = it / steps;
    int k = it % steps;
    const int kend = min(steps, k + end - it);
    const bool whole = k == 0 && kend == steps;
    const int r = tile / tilesN * 16 + ty, c = tile % tilesN * 16 + tx;
    float s = 0.f;
    it += kend - k;
    for (; k < kend; ++k) {
      as[ty][tx] = A[r * K + k * 16 + tx];
      bs[ty][tx] = B[(k * 16 + ty) * N + c];
      __syncthreads();
#pragma unroll
      for (int q = 0; q < 16; ++q) s += as[ty][q] * bs[q][tx];
      __syncthreads();
    }
    if (whole)
      C[r * N + c] = s;
    else
      atomicAdd(C + r * N + c, s);
  }
}

// double buffer through registers, 64x64x8, 8x4 per thread, 128 threads
extern "C" __global__ void __launch_bounds__(128)
    sgemm_dbuf(const float* __restrict__ A, const float* __restrict__ B, float* __restrict__ C,
               int M, int N, int K) {
  __shared__ __align__(16) float As[2][8][64 + 4];
  __shared__ __align__(16) float Bs[2][8][64];
  const int t = threadIdx.x;
  const int ar = t >> 1, ac = (t & 1) * 4;
  const int br = t >> 4, bc = (t & 15) * 4;
  const int ty = t / 16, tx = t % 16;
  const float* pa = A + (blockIdx.y * 64 + ar) * K + ac;
  const float* pb = B + br * N + blockIdx.x * 64 + bc;
  float4 ra = *(const float4*)pa, rb = *(const float4*)pb;
  float acc[8][4] = {};
  int cur = 0;
  As[0][ac][ar] = ra.x;
  As[0][ac + 1][ar] = ra.y;
  As[0][ac + 2][ar] = ra.z;
  As[0][ac + 3][ar] = ra.w;
  *(float4*)&Bs[0][br][bc] = rb;
  __syncthreads();
  for (int k0 = 8; k0 <= K; k0 += 8) {
    if (k0 < K) {
      ra = *(const float4*)(pa + k0);
      rb = *(const float4*)(pb + k0 * N);
    }
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      float4 a0 = *(float4*)&As[cur][k][ty * 8], a1 = *(float4*)&As[cur][k][ty * 8 + 4];
      float4 b = *(float4*)&Bs[cur][k][tx * 4];
      float a[8] = {a0.x, a0.y, a0.z, a0.w, a1.x, a1.y, a1.z, a1.w};
      float bb[4] = {b.x, b.y, b.z, b.w};
#pragma unroll
      for (int i = 0; i < 8; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) acc[i][j] = fmaf(a[i], bb[j], acc[i][j]);
    }
    if (k0 < K) {
      cur ^= 1;
      As[cur][ac][ar] = ra.x;
      As[cur][ac + 1][ar] = ra.y;
      As[cur][ac + 2][ar] = ra.z;
      As[cur][ac + 3][ar] = ra.w;
      *(float4*)&Bs[cur][br][bc] = rb;
      __syncthreads();
    }
  }
#pragma unroll
  for (int i = 0; i < 8; ++i)
    *(float4*)&C[(blockIdx.y * 64 + ty * 8 + i) * N + blockIdx.x * 64 + tx * 4] =
        make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
}

// half2 inner product along k, B given transposed; fp32 flush every 8 steps
extern "C" __global__ void hgemm_half2(const __half2* A, const __half2* Bt, __half* C, int M, int N,
                                       int K2) {
  __shared__ __half2 as[16][16 + 1], bs[16][16 + 1];
  int tx = threadIdx.x, ty = threadIdx.y;
  int r = blockIdx.y * 16 + ty, c = blockIdx.x * 16 + tx, cr = blockIdx.x * 16 + ty;
  float total = 0.f;
  for (int k = 0; k < K2; k += 16) {
    const __half2 z = __float2half2_rn(0.f);
    as[ty][tx] = r < M && k + tx < K2 ? A[r * K2 + k + tx] : z;
    bs[ty][tx] = cr < N && k + tx < K2 ? Bt[cr * K2 + k + tx] : z;
    __syncthreads();
    __half2 s = z;
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      s = __hfma2(as[ty][i], bs[tx][i], s);
      if ((i & 7) == 7) {
        total += __low2float(s) + __high2float(s);
        s = z;
      }
    }
    __syncthreads();
  }
  if (r < M && c < N) C[r * N + c] = __float2half(total);
}

// int8 with dp4a, 4x4 per thread
extern "C" __global__ void igemm_dp4a(const int* __restrict__ A4, const int* __restrict__ Bt4,
                                      int* __restrict__ C, int M, int N, int K4) {
  __shared__ int as[8][32], bs[8][32];
  int t = threadIdx.x, tr = t / 8, tc = t % 8;
  int acc[4][4] = {{0}};
  for (int k = 0; k < K4; k += 8) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      int e = t + i * 64, row = e / 8, kk = e % 8;
      as[kk][row] = A4[(blockIdx.y * 32 + row) * K4 + k + kk];
      bs[kk][row] = Bt4[(blockIdx.x * 32 + row) * K4 + k + kk];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 8; ++kk)
#pragma unroll
      for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
          acc[i][j] = __dp4a(as[kk][tr * 4 + i], bs[kk][tc + 8 * j], acc[i][j]);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      C[(blockIdx.y * 32 + tr * 4 + i) * N + blockIdx.x * 32 + tc + 8 * j] = acc[i][j];
}
