// generic addresses of mixed spaces, rare PTX, atomics of rare types, lanes by inline PTX
#include <cooperative_groups.h>
#include <cuda_fp16.h>
#include <cuda_bf16.h>
namespace cg = cooperative_groups;
typedef unsigned u32; typedef unsigned long long u64; typedef unsigned char u8; typedef unsigned short u16;
__device__ __forceinline__ u32 sm(const void* p) { return (u32)__cvta_generic_to_shared(p); }

// one pointer, three spaces: chosen by lane or by warp
template<int SHIFT> __global__ void mixed_spaces(const int* __restrict__ in, int* out, int n, int rounds)
{
  __shared__ int s[96]; int l[8]; int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x < 96) s[threadIdx.x] = in[threadIdx.x];
  for (int i = 0; i < 8; ++i) l[i] = i * t;
  __syncthreads();
  if (t >= n) return;
  int* p; int len;
  switch ((threadIdx.x >> SHIFT) % 3) { case 0: p = s + (threadIdx.x & ~7) % 88; len = 8; break; case 1: p = l; len = 8; break; default: p = out + n + t * 4; len = 4; }
  volatile int* q = p; int acc = 0;
  for (int r = 0; r < rounds; ++r) { acc += q[(r * 3 + in[t]) & (len - 1)]; if ((threadIdx.x >> SHIFT) % 3 && (acc & 1)) q[r & (len - 1)] = acc; }
  out[t] = acc;
}

// a function that takes pointers to caller's arrays: generic local accesses of several widths
__device__ __noinline__ float mangle(float* a, double* d, u8* c, int n) { float s = 0; for (int i = 0; i < n; ++i) { a[i] += c[i ^ 1]; d[i & 3] += a[(i * 3) % n]; s += (float)d[(i + 1) & 3]; c[i] = (u8)s; } return s; }
extern "C" __global__ void locals(const float* __restrict__ in, float* out, int n, int k)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float a[12]; double d[4]; u8 c[12];
  for (int i = 0; i < 12; ++i) { a[i] = in[(t + i) % n]; c[i] = i * t; }
  for (int i = 0; i < 4; ++i) d[i] = i;
  float s = mangle(a, d, c, k); if (s > 40) s -= mangle(a + 2, d, c + 2, k - 2);
  out[t] = s + a[t % 12] + c[(t >> 2) % 12];
}

// rare lane instructions
extern "C" __global__ void rare_lanes(const u32* __restrict__ in, u32* out, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x; u32 v = t < n ? in[t] : t, r, q, lane; 
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm volatile("{.reg .pred p; shfl.sync.down.b32 %0|p, %2, 5, 31, -1; selp.u32 %1, 1, 0, p;}" : "=r"(r), "=r"(q) : "r"(v));
  if (q) v ^= r;
  asm volatile("{.reg .pred p; shfl.sync.bfly.b32 %0|p, %2, 9, 0x181f, -1; selp.u32 %1, 1, 0, p;}" : "=r"(r), "=r"(q) : "r"(v)); v += r * (q + 1);
  asm volatile("{.reg .pred p, q; elect.sync %0|p, 0xffffffff; selp.u32 %1, 1, 0, p;}" : "=r"(r), "=r"(q)); v += q * 77;
  u32 pop; asm volatile("{.reg .pred p; setp.gt.u32 p, %1, 0x7fffffff; barrier.cta.red.popc.u32 %0, 0, p;}" : "=r"(pop) : "r"(v)); v += pop;
  u32 b; asm("bmsk.clamp.b32 %0, %1, %2;" : "=r"(b) : "r"(lane), "r"(v & 7)); v ^= b;
  int z; asm("szext.wrap.s32 %0, %1, %2;" : "=r"(z) : "r"((int)v), "r"(lane + 1)); v += z;
  int sl; asm("slct.s32.s32 %0, %1, %2, %3;" : "=r"(sl) : "r"((int)v), "r"((int)b), "r"(z)); v = v * 3 + sl;
  int d2; asm("dp2a.lo.s32.u32 %0, %1, %2, %3;" : "=r"(d2) : "r"((int)v), "r"(b), "r"(sl)); v ^= d2;
  u32 h; asm volatile("mad.lo.cc.u32 %0, %1, %2, %3;" : "=r"(h) : "r"(v), "r"(b | 5), "r"(r)); u32 hh; asm volatile("madc.hi.u32 %0, %1, %2, 7;" : "=r"(hh) : "r"(v), "r"(b | 5));
  u32 m = __match_any_sync(~0u, v & 3); if (lane & 1) v += __popc(m & __activemask());
  if (t < n) out[t] = v ^ h ^ hh;
}

// atomics of many types, one element per thread or per pair in order-free operations
extern "C" __global__ void rare_atomics(u32* u, u64* w, float* f, double* d, __half2* h, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  atomicInc(u + t, 5); u32 o = atomicDec(u + (t ^ 1) % n + n, 9); atomicXor(u + 2 * n + (t >> 3), t * 77); atomicOr(u + 2 * n + 40, 1u << (t & 31)); atomicMax((int*)u + 2 * n + 41, (int)(t * 2654435761u));
  u64 e = atomicExch(w + t, (u64)o << 32 | t); atomicMin(w + n + (t & 3), e + t); atomicAdd(w + n + 4, 1ull << (t & 15)); atomicCAS(w + t, (u64)o << 32 | t, e * 3);
  atomicAdd(f + (t & 15), 1.f); atomicAdd(d + t / 5, 0.5); atomicAdd(h + (t & 7), __floats2half2_rn(1.f, 2.f));
  if (t % 3 == 0) { u16* q = (u16*)(u + 2 * n + 42 + t / 3); u16 seen = atomicCAS(q + (t & 1), (u16)0, (u16)t); if (seen) q[(t & 1) ^ 1] = seen; }
  asm volatile("red.global.add.v2.f32 [%0], {%1, %2};" :: "l"(f + 16 + (t & 3) * 2), "f"(1.f), "f"(2.f) : "memory");
}
extern "C" __global__ void shared_atomics(const u32* __restrict__ in, u32* out, int n, int bins)
{
  extern __shared__ u32 h[]; __shared__ u64 wide; __shared__ int low; __shared__ float fsum; int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = threadIdx.x; i < bins; i += blockDim.x) h[i] = 0;
  if (threadIdx.x == 0) { wide = 0; low = 0x7fffffff; fsum = 0; }
  __syncthreads();
  if (t < n) {
    u32 v = in[t]; atomicAdd(h + v % bins, 1); atomicMin(&low, (int)(v >> 1)); atomicAdd(&wide, (u64)v << (v & 7)); if (v & 1) atomicAdd(&fsum, 1.f); else atomicXor(h + (v >> 8) % bins, 0x10000u);
  }
  __syncthreads();
  for (int i = threadIdx.x; i < bins; i += blockDim.x) out[blockIdx.x * (bins + 3) + i] = h[i];
  if (threadIdx.x < 3) out[blockIdx.x * (bins + 3) + bins + threadIdx.x] = threadIdx.x == 0 ? (u32)wide : threadIdx.x == 1 ? (u32)low : (u32)fsum;
}

// cache operators, vector and narrow loads and stores at odd places
extern "C" __global__ void operators(const u32* __restrict__ in, u32* out, u8* small, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t * 4 >= n) return;
  u32 a, b, c, d; asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(in + t * 4));
  u32 e = __ldcg(in + (t * 7) % n), f = __ldcs(in + n - 1 - t), g = __ldlu(in + (t * 33) % n), h = __ldcv(in + (t & ~3));
  asm volatile("prefetch.global.L2 [%0];" :: "l"(in + t)); 
  __stcg(out + t, a + e); __stcs(out + n / 4 + t * 2, b ^ f); __stwt(out + n / 4 + t * 2 + 1, c + g);
  small[t * 3] = h; small[t * 3 + 1] = d; if (t & 1) *(u8*)(small + t * 3 + 2) = a;
  u16 q = ((const u16*)in)[t * 3 + 1]; signed char z = ((const signed char*)in)[t * 5 % n]; ((u16*)(small + (n / 4 * 3 + 1) / 2 * 2))[t] = q + z;
  asm volatile("st.global.v2.u16 [%0], {%1,%2};" :: "l"(out + n + t), "h"((u16)d), "h"(q));
}

// two blocks in a cluster read one another's shared memory
extern "C" __global__ void __cluster_dims__(2, 1, 1) neighbours(const float* __restrict__ in, float* out)
{
  __shared__ float s[96]; auto c = cg::this_cluster(); int t = threadIdx.x;
  s[t] = in[blockIdx.x * blockDim.x + t]; c.sync();
  const float* o = c.map_shared_rank(s, c.block_rank() ^ 1); float v = 0;
  for (int i = 0; i < 5; ++i) { v += o[(t * 3 + i) % blockDim.x]; if (v > 2.f && (t & 1)) break; }
  c.sync(); out[blockIdx.x * blockDim.x + t] = v - s[t];
}

// switch arms with warp-level waits, roles by warp, some warps leave before a counted barrier
extern "C" __global__ void arms(const int* __restrict__ in, int* out, int rounds)
{
  __shared__ int s[5][32], done[5]; int warp = threadIdx.x >> 5, lane = threadIdx.x & 31; s[warp][lane] = in[blockIdx.x * blockDim.x + threadIdx.x] & 255; if (lane == 0) done[warp] = 0;
  __syncthreads();
  if (warp == 4) { out[blockIdx.x * blockDim.x + threadIdx.x] = -1; return; }
  for (int r = 0; r < rounds; ++r) {
    switch (warp) {
      case 0: { int x = s[0][(lane + r) & 31] & 3; __syncwarp(); s[0][lane] += x; __syncwarp(); break; }
      case 1: if (lane < r) { s[1][lane] ^= r; __syncwarp((1u << min(r, 31)) - 1 | (r > 31 ? 0x80000000u : 0)); } break;
      case 2: { int v = __reduce_max_sync(~0u, s[2][lane]); if (s[2][lane] == v) s[2][lane] = v / 2; } break;
      default: { int v = __shfl_sync(~0u, s[3][lane], s[3][lane] & 31); s[3][lane] = (s[3][lane] * 3 + v) & 255; }
    }
    asm volatile("barrier.cta.sync 3, 128;" ::: "memory");
    int v = s[(warp + 1) & 3][31 - lane];
    asm volatile("barrier.cta.sync 4, 128;" ::: "memory");
    if (lane % 3 == 0) s[warp][lane] = (s[warp][lane] + v) & 255;
    __syncwarp();
  }
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[warp][lane];
}

// bf16 and half with branches on comparisons
template<typename T2> struct As; 
template<> struct As<__half2> { static __device__ __half2 make(float a, float b) { return __floats2half2_rn(a, b); } static __device__ float2 to(__half2 v) { return __half22float2(v); } };
template<> struct As<__nv_bfloat162> { static __device__ __nv_bfloat162 make(float a, float b) { return __floats2bfloat162_rn(a, b); } static __device__ float2 to(__nv_bfloat162 v) { return __bfloat1622float2(v); } };
template<typename T2> __global__ void newton(const float2* __restrict__ in, T2* out, int n, int limit)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float2 v = in[t]; T2 a = As<T2>::make(fabsf(v.x) + 0.25f, fabsf(v.y) + 0.5f), x = As<T2>::make(1.f, 1.f), half = As<T2>::make(0.5f, 0.5f);
  for (int i = 0; i < limit; ++i) { T2 y = __hmul2(half, __hadd2(x, __h2div(a, x))); if (__hbeq2(x, y)) break; if (__hbgt2(y, As<T2>::make(1.f, 1.f))) y = __hmin2(y, As<T2>::make(1.5f, 1.25f)); x = __hfma2(__hsub2(y, x), As<T2>::make(1.f, 0.75f), x); }
  out[t] = x;
}

// a tile of 16 lanes works at one list until its own end; tiles of a warp end at different times
template<int T> __global__ void lists(const int* __restrict__ next, const int* __restrict__ head, int* out, int n, int groups)
{
  auto tile = cg::tiled_partition<T>(cg::this_thread_block()); int g = (blockIdx.x * blockDim.x + threadIdx.x) / T;
  if (g >= groups) return;
  int at = (head[g] & 0xffff) % n, steps = 0, sum = 0;
  while (steps < 20) {
    int mine = (at + tile.thread_rank()) % n, v = next[mine] & 0xffff; u32 b = tile.ballot(v % 5 == 0);
    sum += __popc(b); int who = b ? __ffs(b) - 1 : T - 1; at = tile.shfl(v, who) % n; ++steps;
    if (tile.all(v & 1) || (b & 3) == 3) break;
    tile.sync();
  }
  if (tile.thread_rank() == T - 1) out[g] = sum * 1000 + steps;
}
