#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cuda_bf16.h>

#include <cuda/barrier>
#include <cuda/pipeline>
namespace cg = cooperative_groups;

#define SMEM_U32(p) static_cast<unsigned>(__cvta_generic_to_shared(p))
#define CP_ASYNC_CA(dst, src, n) \
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;\n" ::"r"(SMEM_U32(dst)), "l"(src), "n"(n))
#define CP_ASYNC_CG(dst, src) \
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(SMEM_U32(dst)), "l"(src))
#define CP_ASYNC_CG_ZFILL(dst, src, n)                                                          \
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16, %2;\n" ::"r"(SMEM_U32(dst)), \
               "l"(src), "r"(n))
#define CP_ASYNC_CA_ZFILL(dst, src, cp, n)                                                       \
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;\n" ::"r"(SMEM_U32(dst)), "l"(src), \
               "n"(cp), "r"(n))
#define CP_COMMIT() asm volatile("cp.async.commit_group;\n" ::)
#define CP_WAIT(n) asm volatile("cp.async.wait_group %0;\n" ::"n"(n))

// a ring of STAGES; BYTES per copy; 32x32x16 tiles, 64 threads, 4x4 each
template <int STAGES, int BYTES, int PAD>
__global__ void __launch_bounds__(64)
    ring(const float* A, const float* B, float* C, int M, int N, int K) {
  constexpr int BK = 16, V = BYTES / 4;
  __shared__ __align__(16) float as[STAGES][32][BK + PAD];
  __shared__ __align__(16) float bs[STAGES][BK][32 + PAD];
  const int t = threadIdx.x;
  A += blockIdx.y * 32 * K;
  B += blockIdx.x * 32;
  auto fetch = [&](int stage, int k0) {
#pragma unroll
    for (int i = t; i < 32 * BK / V; i += 64) {
      int r = i / (BK / V), c = i % (BK / V) * V;
      if (BYTES == 16)
        CP_ASYNC_CG(&as[stage][r][c], A + r * K + k0 + c);
      else
        CP_ASYNC_CA(&as[stage][r][c], A + r * K + k0 + c, BYTES);
      int rb = i / (32 / V), cb = i % (32 / V) * V;
      if (BYTES == 16)
        CP_ASYNC_CG(&bs[stage][rb][cb], B + (k0 + rb) * N + cb);
      else
        CP_ASYNC_CA(&bs[stage][rb][cb], B + (k0 + rb) * N + cb, BYTES);
    }
  };
  const int steps = K / BK;
#pragma unroll
  for (int s = 0; s < STAGES - 1; ++s) {
    if (s < steps) fetch(s, s * BK);
    CP_COMMIT();
  }
  float acc[4][4] = {};
  const int ty = t / 8, tx = t % 8;
  for (int s = 0; s < steps; ++s) {
    CP_WAIT(STAGES - 2);
    __syncthreads();
    int nx = s + STAGES - 1;
    if (nx < steps) fetch(nx % STAGES, nx * BK);
    CP_COMMIT();
    const int cur = s % STAGES;
#pragma unroll
    for (int k = 0; k < BK; ++k) {
      float a[4], b[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        a[i] = as[cur][ty * 4 + i][k];
        b[i] = bs[cur][k][tx * 4 + i];
      }
#pragma unroll
      for (int i = 0; i < 16; ++i) acc[i / 4][i % 4] += a[i / 4] * b[i % 4];
    }
  }
  CP_WAIT(0);
#pragma unroll
  for (int i = 0; i < 4; ++i)
#pragma unroll
    for (int j = 0; j < 4; ++j)
      C[(blockIdx.y * 32 + ty * 4 + i) * N + blockIdx.x * 32 + tx * 4 + j] = acc[i][j];
}

// ragged edges by zero-fill: K and N any, rows of A and B start at multiples of 16 bytes (ld given)
extern "C" __global__ void ring_zfill(const float* A, const float* B, float* C, int M, int N, int K,
                                      int lda, int ldb) {
  __shared__ __align__(16) float as[2][16][16], bs[2][16][36];
  const int t = threadIdx.x;  // 128
  const int tx = t % 32, ty = t / 32;
  auto clampi = [](int v) { return v < 0 ? 0 : (v > 4 ? 4 : v); };
  auto issue = [&](int st, int k0) {
    if (t < 64) {
      int r = t / 4, c = (t % 4) * 4;
      int row = blockIdx.y * 16 + r;
      int n = row < M ? clampi(K - k0 - c) * 4 : 0;
      CP_ASYNC_CG_ZFILL(&as[st][r][c], n ? A + row * lda + k0 + c : A, n);
    }
    int r = t / 8, c = (t % 8) * 4, col = blockIdx.x * 32 + c;
    int n = k0 + r < K ? clampi(N - col) * 4 : 0;
    CP_ASYNC_CG_ZFILL(&bs[st][r][c], n ? B + (k0 + r) * ldb + col : B, n);
    CP_COMMIT();
  };
  float acc[4] = {0, 0, 0, 0};
  issue(0, 0);
  int st = 0;
  for (int k0 = 0; k0 < K; k0 += 16, st ^= 1) {
    if (k0 + 16 < K) {
      issue(st ^ 1, k0 + 16);
      CP_WAIT(1);
    } else
      CP_WAIT(0);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 16; ++k) {
      float b = bs[st][k][tx];
#pragma unroll
      for (int i = 0; i < 4; ++i) acc[i] += as[st][ty * 4 + i][k] * b;
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i) {
    int r = blockIdx.y * 16 + ty * 4 + i, c = blockIdx.x * 32 + tx;
    if (r < M && c < N) C[r * N + c] = acc[i];
  }
}

// matrix times vector, rows staged with 8 byte copies, zero-filled tail
extern "C" __global__ void gemv_async8(const float* A, const float* x, float* y, int rows,
                                       int cols) {
  __shared__ __align__(8) float buf[4][256];
  __shared__ float xs[256];
  int w = threadIdx.x / 32, lane = threadIdx.x % 32;
  int row = blockIdx.x * 4 + w;
  float s = 0;
  for (int c0 = 0; c0 < cols; c0 += 256) {
    for (int i = threadIdx.x; i < 256; i += blockDim.x) xs[i] = c0 + i < cols ? x[c0 + i] : 0.f;
    if (row < rows)
      for (int i = lane * 2; i < 256; i += 64) {
        int left = cols - c0 - i;
        int bytes = left >= 2 ? 8 : left == 1 ? 4 : 0;
        const float* src = bytes ? A + (long)row * cols + c0 + i : A;
        CP_ASYNC_CA_ZFILL(&buf[w][i], src, 8, bytes);
      }
    asm volatile("cp.async.wait_all;\n" ::: "memory");
    __syncthreads();
    if (row < rows)
      for (int i = lane; i < 256; i += 32) s += buf[w][i] * xs[i];
    __syncthreads();
  }
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
  if (lane == 0 && row < rows) y[row] = s;
}

// cuda::pipeline, two stages, thread scope
extern "C" __global__ void gemm_pipeline(const float* A, const float* B, float* C, int n) {
  __shared__ float as[2][16][16], bs[2][16][16];
  auto pipe = cuda::make_pipeline();
  int tx = threadIdx.x, ty = threadIdx.y;
  int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  auto load = [&](int st, int k) {
    pipe.producer_acquire();
    cuda::memcpy_async(&as[st][ty][tx], &A[row * n + k + tx], sizeof(float), pipe);
    cuda::memcpy_async(&bs[st][ty][tx], &B[(k + ty) * n + col], sizeof(float), pipe);
    pipe.producer_commit();
  };
  load(0, 0);
  float s = 0;
  int st = 0;
  for (int k = 0; k < n; k += 16) {
    if (k + 16 < n) {
      load(st ^ 1, k + 16);
      cuda::pipeline_consumer_wait_prior<1>(pipe);
    } else
      cuda::pipeline_consumer_wait_prior<0>(pipe);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) s += as[st][ty][i] * bs[st][i][tx];
    pipe.consumer_release();
    __syncthreads();
    st ^= 1;
  }
  C[row * n + col] = s;
}

// a group's memcpy_async of whole rows, float4 aligned
extern "C" __global__ void saxpy_cg_async(const float4* x, float4* y, float a, int n4) {
  extern __shared__ float4 stage[];
  cg::thread_block block = cg::this_thread_block();
  for (int base = blockIdx.x * block.size(); base < n4; base += gridDim.x * block.size()) {
    int m = min((int)block.size(), n4 - base);
    cg::memcpy_async(block, stage, x + base, cuda::aligned_size_t<16>(sizeof(float4) * m));
    cg::wait(block);
    int i = (int)block.thread_rank();
    if (i < m) {
      float4 v = stage[m - 1 - i], o = y[base + i];
      o.x += a * v.x;
      o.y += a * v.y;
      o.z += a * v.z;
      o.w += a * v.w;
      y[base + i] = o;
    }
    block.sync();
  }
}

// cp.async arriving on an mbarrier, written by hand
extern "C" __global__ void mbar_stream(const float* in, float* out, int tiles) {
  __shared__ __align__(16) float buf[2][128 * 4];
  __shared__ __align__(8) unsigned long long bar[2];
  int t = threadIdx.x;
  if (t < 2)
    asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(SMEM_U32(&bar[t])), "r"(128u));
  __syncthreads();
  auto issue = [&](int st, int tile) {
    CP_ASYNC_CG(&buf[st][t * 4], in + ((long long)blockIdx.x * tiles + tile) * 512 + t * 4);
    asm volatile("cp.async.mbarrier.arrive.noinc.shared::cta.b64 [%0];" ::"r"(SMEM_U32(&bar[st]))
                 : "memory");
  };
  issue(0, 0);
  unsigned phase[2] = {0, 0};
  float sum = 0;
  for (int i = 0; i < tiles; ++i) {
    int st = i & 1;
    if (i + 1 < tiles) issue(st ^ 1, i + 1);
    asm volatile(
        "{\n.reg .pred p;\nLAB_WAIT:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@!p "
        "bra LAB_WAIT;\n}\n" ::"r"(SMEM_U32(&bar[st])),
        "r"(phase[st])
        : "memory");
    phase[st] ^= 1;
    for (int j = 0; j < 4; ++j) sum += buf[st][j * 128 + (t ^ 5)];
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}

// cuda::barrier with memcpy_async per thread
extern "C" __global__ void barrier_copy(const int* in, int* out, int n) {
  using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ barrier bar;
  __shared__ int tile[192];
  auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&bar, block.size());
  block.sync();
  int base = blockIdx.x * 192;
  int i = base + threadIdx.x;
  if (i < n)
    cuda::memcpy_async(&tile[threadIdx.x], in + i, sizeof(int), bar);
  else
    tile[threadIdx.x] = 0;
  bar.arrive_and_wait();
  int j = 191 - threadIdx.x;
  if (i < n) out[i] = tile[j] * 3 - tile[threadIdx.x];
}

// bf16 with fp32 accumulators, two columns per thread, staged 16 bytes at a time
extern "C" __global__ void bgemm_async(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C,
                                       int M, int N, int K) {
  __shared__ __align__(16) __nv_bfloat16 as[16][32 + 8], bs[32][32 + 8];
  int t = threadIdx.x, tx = t % 16, ty = t / 16;  // 256
  float2 acc = make_float2(0, 0);
  for (int k0 = 0; k0 < K; k0 += 32) {
    if (t < 64) {
      int r = t / 4, c = t % 4 * 8;
      CP_ASYNC_CG(&as[r][c], A + (blockIdx.y * 16 + r) * K + k0 + c);
    } else if (t < 192) {
      int u = t - 64, r = u / 4, c = u % 4 * 8;
      CP_ASYNC_CG(&bs[r][c], B + (k0 + r) * N + blockIdx.x * 32 + c);
    }
    CP_COMMIT();
    CP_WAIT(0);
    __syncthreads();
    for (int k = 0; k < 32; ++k) {
      float a = __bfloat162float(as[ty][k]);
      float2 b = __bfloat1622float2(*reinterpret_cast<__nv_bfloat162*>(&bs[k][tx * 2]));
      acc.x += a * b.x;
      acc.y += a * b.y;
    }
    __syncthreads();
  }
  reinterpret_cast<float2*>(C)[((blockIdx.y * 16 + ty) * N + blockIdx.x * 32) / 2 + tx] = acc;
}
