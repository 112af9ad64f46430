// cp.async by hand: every size, hints, zero fill, two to five stages.
#include <cuda_pipeline.h>

typedef unsigned int u32;

static __device__ __forceinline__ u32 sm(const void* p) { return (u32)__cvta_generic_to_shared(p); }

template <int N>
__device__ __forceinline__ void wait_group() {
  asm volatile("cp.async.wait_group %0;\n" ::"n"(N) : "memory");
}
__device__ __forceinline__ void commit() { asm volatile("cp.async.commit_group;\n" ::: "memory"); }

__device__ __forceinline__ void copy16(void* to, const void* from) {
  asm volatile("cp.async.cg.shared.global.L2::128B [%0], [%1], 16;\n" ::"r"(sm(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void copy16_fill(void* to, const void* from, int bytes) {
  asm volatile("cp.async.cg.shared.global.L2::256B [%0], [%1], 16, %2;\n" ::"r"(sm(to)), "l"(from), "r"(bytes)
               : "memory");
}
__device__ __forceinline__ void copy8(void* to, const void* from) {
  asm volatile("cp.async.ca.shared.global.L2::64B [%0], [%1], 8;\n" ::"r"(sm(to)), "l"(from) : "memory");
}
__device__ __forceinline__ void copy4_fill(void* to, const void* from, bool there) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;\n" ::"r"(sm(to)), "l"(from), "r"(there ? 4 : 0)
               : "memory");
}

// GEMM of STAGES stages, 64 x 64 x 16, rows of A padded by PAD floats, edges in M and K zero filled.
template <int STAGES, int PAD>
__global__ void __launch_bounds__(256)
    sgemm_stages(const float* A, const float* B, float* C, int M, int N, int K) {
  extern __shared__ __align__(16) float pool[];
  float* const as = pool;                             // [STAGES][64][16 + PAD]
  float* const bs = pool + STAGES * 64 * (16 + PAD);  // [STAGES][16][64]
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;
  const int steps = (K + 15) / 16;
  auto fetch = [&](int s) {
    if (s < steps) {
      const int stage = s % STAGES;
      const int m = t / 4, q = t % 4 * 4, k = s * 16 + q, row = blockIdx.y * 64 + m;
      const int there = row < M ? max(0, min(4, K - k)) * 4 : 0;
      copy16_fill(as + (stage * 64 + m) * (16 + PAD) + q, there ? A + row * K + k : A, there);
      const int r = t / 16, c = t % 16 * 4;
      copy16_fill(bs + (stage * 16 + r) * 64 + c, s * 16 + r < K ? B + (s * 16 + r) * N + blockIdx.x * 64 + c : B,
                  s * 16 + r < K ? 16 : 0);
    }
    commit();
  };
  for (int s = 0; s < STAGES - 1; ++s) fetch(s);
  float acc[4][4] = {};
  for (int s = 0; s < steps; ++s) {
    wait_group<STAGES - 2>();
    __syncthreads();
    fetch(s + STAGES - 1);
    const float* a = as + s % STAGES * 64 * (16 + PAD);
    const float* b = bs + s % STAGES * 16 * 64;
#pragma unroll
    for (int q = 0; q < 16; ++q) {
      float u[4];
#pragma unroll
      for (int i = 0; i < 4; ++i) u[i] = a[(ty * 4 + i) * (16 + PAD) + q];
      const float4 v = *(const float4*)(b + q * 64 + tx * 4);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        acc[i][0] += u[i] * v.x;
        acc[i][1] += u[i] * v.y;
        acc[i][2] += u[i] * v.z;
        acc[i][3] += u[i] * v.w;
      }
    }
  }
  wait_group<0>();
  for (int i = 0; i < 4; ++i) {
    const int row = blockIdx.y * 64 + ty * 4 + i;
    if (row < M)
      *(float4*)(C + row * N + blockIdx.x * 64 + tx * 4) = make_float4(acc[i][0], acc[i][1], acc[i][2], acc[i][3]);
  }
}

// A row of a picture with its halo, zero outside, 4 bytes a copy; seven taps.
extern "C" __global__ void fir_fill(const float* in, const float* tap, float* out, int n) {
  __shared__ float tile[2][128 + 6];
  const int t = threadIdx.x, chunks = (n + 127) / 128;
  auto load = [&](int chunk) {
    for (int i = t; i < 134; i += 128) {
      const int at = chunk * 128 + i - 3;
      const bool inside = at >= 0 && at < n;
      copy4_fill(&tile[chunk / gridDim.x & 1][i], in + (inside ? at : 0), inside);
    }
    commit();
  };
  load(blockIdx.x);
  for (int chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
    if (chunk + gridDim.x < chunks) {
      load(chunk + gridDim.x);
      wait_group<1>();
    } else {
      wait_group<0>();
    }
    __syncthreads();
    const float* s = tile[chunk / gridDim.x & 1];
    float sum = 0.0f;
#pragma unroll
    for (int i = 0; i < 7; ++i) sum += s[t + i] * __ldg(tap + i);
    if (chunk * 128 + t < n) out[chunk * 128 + t] = sum;
    __syncthreads();
  }
}

// Rows of doubles by 8 bytes, four stages; every warp keeps its own ring and waits by itself.
extern "C" __global__ void warp_rings(const double* in, double* out, int steps) {
  __shared__ double ring[4][4][32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  const double* from = in + (blockIdx.x * 4 + warp) * steps * 32 + lane;
  for (int s = 0; s < 3; ++s) {
    if (s < steps) copy8(&ring[warp][s][lane], from + s * 32);
    commit();
  }
  double sum = 0.0;
  for (int s = 0; s < steps; ++s) {
    wait_group<2>();
    __syncwarp();
    sum += ring[warp][s & 3][lane] * 2.0 - ring[warp][s & 3][31 - lane];
    __syncwarp();
    if (s + 3 < steps) copy8(&ring[warp][(s + 3) & 3][lane], from + (s + 3) * 32);
    commit();
  }
  out[(blockIdx.x * 4 + warp) * 32 + lane] = sum;
}

// Transposes through tiles that __pipeline_memcpy_async fills, with its zero-fill argument.
template <typename T, int kPad>
__global__ void transpose_pipelined(const T* in, T* out, int rows, int cols) {
  constexpr int kEach = 16 / sizeof(T);
  __shared__ __align__(16) T tile[2][32][32 + kPad];
  const int t = threadIdx.x, strips = (rows + 31) / 32, row_chunks = 32 / kEach;
  auto fetch = [&](int strip) {
    for (int i = t; i < 32 * row_chunks; i += blockDim.x) {
      const int r = i / row_chunks, c = i % row_chunks * kEach, row = strip * 32 + r;
      const bool there = row < rows;
      __pipeline_memcpy_async(&tile[strip & 1][r][c], in + (there ? row : 0) * cols + blockIdx.x * 32 + c, 16,
                              there ? 0 : 16);
    }
    __pipeline_commit();
  };
  fetch(0);
  for (int strip = 0; strip < strips; ++strip) {
    if (strip + 1 < strips) fetch(strip + 1);
    else __pipeline_commit();
    __pipeline_wait_prior(1);
    __syncthreads();
    for (int i = t; i < 1024; i += blockDim.x) {
      const int c = i / 32, r = i % 32, row = strip * 32 + r;
      if (row < rows) out[(blockIdx.x * 32 + c) * rows + row] = tile[strip & 1][r][c];
    }
    __syncthreads();
  }
}

// A stencil of five points over a queue of rows: five stages, swizzled 16-byte chunks.
extern "C" __global__ void rows_in_flight(const float* in, float* out, int w, int h) {
  __shared__ __align__(16) float row[5][128];
  const int t = threadIdx.x;  // 128
  auto at = [&](int y, int x) -> float& { return row[y % 5][(((x >> 2) ^ (y & 3)) << 2) | (x & 3)]; };
  auto fetch = [&](int y) {
    if (y < h && t < 32) copy16(&at(y, t * 4), in + y * w + blockIdx.x * 128 + t * 4);
    commit();
  };
  for (int y = 0; y < 4; ++y) fetch(y);
  for (int y = 1; y < h - 1; ++y) {
    wait_group<1>();
    __syncthreads();
    const float left = at(y, (t + 127) & 127), right = at(y, (t + 1) & 127);
    out[y * w + blockIdx.x * 128 + t] = at(y - 1, t) + at(y + 1, t) + left + right - 4.0f * at(y, t);
    fetch(y + 3);
  }
  asm volatile("cp.async.wait_all;\n" ::: "memory");
}
