// Warps of different trades, blocks that stay, shared memory carved by hand, local arrays.
#include <cuda_fp16.h>

// One producer warp, three consumer warps; a pair of named barriers for each of three slots.
extern "C" __global__ void __launch_bounds__(128) producer_slots(const float4* in, float* out, int rounds) {
  __shared__ float4 slot[3][96];
  const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (warp == 0) {
    for (int r = 0; r < rounds; ++r) {
      const int s = r % 3;
      if (r >= 3) asm volatile("barrier.cta.sync %0, 128;" ::"r"(4 + s) : "memory");
#pragma unroll
      for (int i = 0; i < 3; ++i) slot[s][i * 32 + lane] = in[(blockIdx.x * rounds + r) * 96 + i * 32 + lane];
      asm volatile("barrier.cta.arrive %0, 128;" ::"r"(1 + s) : "memory");
    }
  } else {
    float sum = 0.0f;
    for (int r = 0; r < rounds; ++r) {
      const int s = r % 3;
      asm volatile("barrier.cta.sync %0, 128;" ::"r"(1 + s) : "memory");
      const float4 v = slot[s][(warp - 1) * 32 + lane], w = slot[s][(warp - 1) * 32 + (lane ^ 7)];
      sum += v.x * w.y - v.z * w.w;
      if (r + 3 < rounds) asm volatile("barrier.cta.arrive %0, 128;" ::"r"(4 + s) : "memory");
    }
    out[blockIdx.x * 96 + threadIdx.x - 32] = sum;
  }
}

// Two groups of warps take turns (ping-pong), ordered by two barriers, each with its half of the shared sums.
extern "C" __global__ void ping_pong(const int* in, int* out, int rounds) {
  __shared__ int work[256];
  const int group = threadIdx.x / 128, t = threadIdx.x % 128;
  if (group == 0) work[t] = work[t + 128] = in[blockIdx.x * 128 + t];
  __syncthreads();
  if (group == 1) asm volatile("bar.arrive 1, 256;" ::: "memory");
  for (int r = 0; r < rounds; ++r) {
    asm volatile("bar.sync %0, 256;" ::"r"(1 + group) : "memory");
    const int from = work[t * 2 % 256], other = work[(t * 2 + 1) % 256];
    asm volatile("bar.sync %0, 128;" ::"r"(3 + group) : "memory");
    work[group * 128 + (t + r) % 128] = from * 3 + other;
    if (group == 0 || r + 1 < rounds) asm volatile("bar.arrive %0, 256;" ::"r"(2 - group) : "memory");
  }
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.x] = work[threadIdx.x];
}

// Blocks that stay: tiles of a small product by a fixed stride, in a snake; two accumulators.
extern "C" __global__ void persistent_gemm(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float as[16][33], bs[32][16];
  const int t = threadIdx.x, tx = t % 16, ty = t / 16;  // 128
  const int across = n / 16, tiles = m / 16 * across;
  for (int tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const int y = tile / across, x = y & 1 ? across - 1 - tile % across : tile % across;
    float s0 = 0.0f, s1 = 0.0f;
    for (int p = 0; p < k; p += 32) {
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        as[i * 4 + t / 32][t % 32] = a[(y * 16 + i * 4 + t / 32) * k + p + t % 32];
        bs[i * 8 + t / 16][t % 16] = b[(p + i * 8 + t / 16) * n + x * 16 + t % 16];
      }
      __syncthreads();
#pragma unroll 8
      for (int q = 0; q < 32; ++q) {
        s0 += as[ty][q] * bs[q][tx];
        s1 += as[ty + 8][q] * bs[q][tx];
      }
      __syncthreads();
    }
    c[(y * 16 + ty) * n + x * 16 + tx] = s0;
    c[(y * 16 + ty + 8) * n + x * 16 + tx] = s1;
  }
}

// One block takes tiles from a counter; the tile goes round the warp by a shuffle, each warp on its own.
extern "C" __global__ void tickets_by_warp(const float* in, float* out, unsigned* next, int tiles) {
  const int lane = threadIdx.x;
  for (;;) {
    unsigned tile = 0;
    if (lane == 0) tile = atomicAdd(next, 1u);
    tile = __shfl_sync(0xffffffffu, tile, 0);
    if (tile >= (unsigned)tiles) break;
    float v = in[tile * 32 + lane];
    for (unsigned i = 0; i <= tile % 3; ++i) v = v * 0.5f + __shfl_xor_sync(0xffffffffu, v, 1 << i);
    out[tile * 32 + lane] = v;
  }
}

// An mbarrier for each stage: cp.async tells it, consumers wait by parity, then say empty on another.
__device__ __forceinline__ void wait_parity(unsigned bar, unsigned parity) {
  asm volatile(
      "{\n.reg .pred P;\nagain:\nmbarrier.try_wait.parity.shared::cta.b64 P, [%0], %1;\n@P bra done;\nbra again;\ndone:\n}" ::"r"(bar),
      "r"(parity)
      : "memory");
}
extern "C" __global__ void __launch_bounds__(96) mbarrier_stages(const float* in, float* out, int rounds) {
  extern __shared__ __align__(16) unsigned char raw[];
  float* const ring = reinterpret_cast<float*>(raw);  // [2][128]
  unsigned long long* const full = reinterpret_cast<unsigned long long*>(raw + 1024);
  unsigned long long* const empty = full + 2;
  const int t = threadIdx.x;
  const unsigned f0 = __cvta_generic_to_shared(full), e0 = __cvta_generic_to_shared(empty), r0 = __cvta_generic_to_shared(ring);
  if (t == 0)
    for (int i = 0; i < 2; ++i) {
      asm volatile("mbarrier.init.shared.b64 [%0], 32;" ::"r"(f0 + 8 * i) : "memory");
      asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(e0 + 8 * i) : "memory");
    }
  __syncthreads();
  if (t < 32) {
    for (int r = 0; r < rounds; ++r) {
      const int s = r & 1;
      if (r >= 2) wait_parity(e0 + 8 * s, ((r >> 1) - 1) & 1);
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(r0 + s * 512 + t * 16), "l"(in + (blockIdx.x * rounds + r) * 128 + t * 4) : "memory");
      asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(f0 + 8 * s) : "memory");
    }
    for (int r = rounds; r < rounds + 2; ++r)  // the tail: until both slots are empty again
      if (r >= 2) wait_parity(e0 + 8 * (r & 1), ((r >> 1) - 1) & 1);
  } else {
    float sum = 0.0f;
    for (int r = 0; r < rounds; ++r) {
      const int s = r & 1;
      wait_parity(f0 + 8 * s, (r >> 1) & 1);
      sum += ring[s * 128 + (t - 32) * 2] * ring[s * 128 + 127 - (t - 32)];
      asm volatile("{\n.reg .b64 state;\nmbarrier.arrive.shared.b64 state, [%0];\n}" ::"r"(e0 + 8 * s) : "memory");
    }
    out[blockIdx.x * 64 + t - 32] = sum;
  }
}

// Shared memory carved by hand out of one dynamic array: doubles, floats, shorts, bytes, one after the other.
extern "C" __global__ void carved(const unsigned* in, float* out, int n) {
  extern __shared__ __align__(16) char base[];
  double* const d = reinterpret_cast<double*>(base);
  float* const f = reinterpret_cast<float*>(d + n);
  short* const h = reinterpret_cast<short*>(f + n + 1);
  unsigned char* const b = reinterpret_cast<unsigned char*>(h + n + 3);
  const int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) {
    const unsigned v = in[blockIdx.x * n + i];
    d[i] = (v & 0xffff) * 0.25;
    f[i] = (float)(v >> 20);
    h[n - 1 - i] = (short)(v & 0x7fff);
    b[(i * 5) % n] = (unsigned char)(v >> 8);
  }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x)
    out[blockIdx.x * n + i] = (float)d[n - 1 - i] + f[(i * 3) % n] + h[i] + b[i] * 0.125f;
}

// A sorted window of each thread (insertion into a local array), then medians; few registers.
template <int N>
__global__ void __launch_bounds__(128) local_median(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i + N > n) return;
  float w[N];
#pragma unroll 1
  for (int k = 0; k < N; ++k) {
    const float v = in[i + k];
    int p = k;
    while (p > 0 && w[p - 1] > v) {
      w[p] = w[p - 1];
      --p;
    }
    w[p] = v;
  }
  out[i] = w[N / 2];
}

// Each lane multicasts: several lanes read one word, in groups whose size is a template argument.
template <typename T, int kGroup>
__global__ void multicast(const T* in, T* out, int rounds) {
  __shared__ T s[1024];
  const int t = threadIdx.x;
  for (int i = t; i < 1024; i += blockDim.x) s[i] = in[i];
  __syncthreads();
  T sum = T(0);
#pragma unroll 1
  for (int r = 0; r < rounds; ++r) sum += s[(t / kGroup * 33 + r * 17) & 1023];
  out[blockIdx.x * blockDim.x + t] = sum;
}
