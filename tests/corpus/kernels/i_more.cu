// video instructions, rounding, bulk reductions, clusters of one, tiles of several warps, sums by tile
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/memcpy_async.h>
namespace cg = cooperative_groups;
typedef unsigned u32; typedef unsigned long long u64; typedef unsigned char u8; typedef unsigned short u16;
__device__ __forceinline__ u32 sm(const void* p) { return (u32)__cvta_generic_to_shared(p); }

extern "C" __global__ void video(const u32* __restrict__ a, const u32* __restrict__ b, u32* out, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  u32 x = a[t], y = b[t], r = 0, q;
  asm("vmad.s32.u32.s32 %0, %1.b1, %2.h0, %3;" : "=r"(q) : "r"(x), "r"(y), "r"(5)); r ^= q;
  asm("vabsdiff.u32.u32.u32.add %0, %1.b2, %2.b0, %3;" : "=r"(q) : "r"(x), "r"(y), "r"(r)); r += q;
  asm("vshl.u32.u32.u32.wrap %0, %1, %2.b3;" : "=r"(q) : "r"(x), "r"(y)); r ^= q; asm("vset.s32.s32.lt.max %0, %1.h1, %2.b1, %3;" : "=r"(q) : "r"(x), "r"(y), "r"(r)); r += q;
  asm("vmin.s32.s32.s32.sat %0.b2, %1, %2, %3;" : "=r"(q) : "r"(x), "r"(y), "r"(r)); r ^= q; asm("vadd4.s32.s32.s32.sat %0, %1, %2, %3;" : "=r"(q) : "r"(x), "r"(y), "r"(r)); r += q;
#ifndef NO_AVERAGE
  asm("vavrg2.u32.u32.u32 %0, %1, %2, %3;" : "=r"(q) : "r"(x), "r"(y), "r"(r)); r ^= q;
#endif
  asm("vsub2.s32.u32.s32.add %0, %1, %2, %3;" : "=r"(q) : "r"(x), "r"(y), "r"(r)); r += q;
  asm("mad24.hi.s32 %0, %1, %2, %3;" : "=r"(q) : "r"(x), "r"(y), "r"(r)); r ^= q; asm("mad.hi.sat.s32 %0, %1, %2, %3;" : "=r"(q) : "r"(x), "r"(y), "r"(r)); r += q;
  asm("bfind.shiftamt.s32 %0, %1;" : "=r"(q) : "r"(x)); r += q; asm("dp4a.u32.s32 %0, %1, %2, %3;" : "=r"(q) : "r"(x), "r"(y), "r"(r)); r ^= q; 
#ifndef NO_SETP
  asm("{.reg .pred p, q; setp.lt.xor.s32 p|q, %1, %2, 0; selp.u32 %0, 3, 9, q;}" : "=r"(q) : "r"(x), "r"(y)); r += q;
#endif
  u64 w; asm("bfe.u64 %0, %1, %2, %3;" : "=l"(w) : "l"((u64)x << 32 | y), "r"(y & 63), "r"(x & 31)); r ^= (u32)w; asm("bfi.b64 %0, %1, %2, %3, %4;" : "=l"(w) : "l"(w), "l"((u64)y * x), "r"(x & 63), "r"(y & 15)); r += (u32)(w >> 32) + __popcll(w) + __clzll(w) + __ffsll(w) + (u32)__brevll(w);
  out[t] = r;
}
extern "C" __global__ void roundings(const double* __restrict__ a, const double* __restrict__ b, double* out, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  double x = a[t], y = b[t], s = __fma_rd(x, y, x) + __dmul_ru(x, y) + __dadd_rz(x, y) + __ddiv_rd(x, y + 2) + __dsqrt_ru(fabs(x)) + __drcp_rz(y + 3) + fmin(x, y) - fmax(x, 0.25); double f;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(f) : "d"(y + 4)); s += f; asm("rsqrt.approx.f64 %0, %1;" : "=d"(f) : "d"(fabs(x) + 1)); s += f; if (x < y && !(s > 1.0) || x == 0.5) s = -s; int e; s += frexp(x, &e) + e + scalbn(y, t & 7) + logb(fabs(x) + 0.1) + remainder(s, 0.7) + nearbyint(x * 9) + fdim(x, y) + hypot(x, y) + exp2(x) + log2(fabs(y) + 0.2) + sinpi(x);
  out[t] = isfinite(s) ? s : 0;
}
// bulk store and bulk reduction from shared memory
extern "C" __global__ void bulk_out(const int* __restrict__ in, int* out, int* sums, int count)
{
  extern __shared__ __align__(128) int sb[];
  for (int i = threadIdx.x; i < count; i += blockDim.x) sb[i] = in[blockIdx.x * count + i] >> (i & 7);
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory"); __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" :: "l"(out + blockIdx.x * count), "r"(sm(sb)), "r"(count * 4) : "memory");
#ifndef NO_REDUCE
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.s32 [%0], [%1], %2;" :: "l"(sums), "r"(sm(sb)), "r"(count * 4) : "memory");
#endif
    asm volatile("cp.async.bulk.commit_group;"); asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
extern "C" __global__ void one_cluster(const int* __restrict__ in, int* out, int n)
{
  __shared__ int s[128]; auto c = cg::this_cluster(); int t = blockIdx.x * blockDim.x + threadIdx.x; s[threadIdx.x] = t < n ? in[t] & 0xffff : 0; c.sync();
  int* o = c.map_shared_rank(s, 0); int v = o[(threadIdx.x * 5 + 1) % blockDim.x] * c.num_blocks(); c.sync(); o[threadIdx.x] = v + 1; c.sync();
  if (t < n) out[t] = s[blockDim.x - 1 - threadIdx.x] + c.block_rank();
}
// tiles of 64 lanes (two warps) from the block
extern "C" __global__ void big_tiles(const int* __restrict__ in, int* out, int n)
{
  __shared__ cg::block_tile_memory<128> mem; auto block = cg::this_thread_block(mem); auto tile = cg::tiled_partition<64>(block); int t = blockIdx.x * blockDim.x + threadIdx.x, v = t < n ? in[t] & 255 : 0;
  int s = cg::reduce(tile, v, cg::plus<int>()); bool any = tile.any(v > 250); int f = tile.shfl(v, 37); tile.sync();
  if (t < n) out[t] = s * 2 + any + f * 65536 + tile.meta_group_rank();
}
// cooperative copies to shared of odd lengths
extern "C" __global__ void group_copies(const int* __restrict__ in, int* out, int len, int rounds)
{
  extern __shared__ int gs[]; auto block = cg::this_thread_block(); int acc = 0;
  for (int r = 0; r < rounds; ++r) { cg::memcpy_async(block, gs, in + (blockIdx.x * rounds + r) * len, sizeof(int) * len); cg::wait(block); for (int i = threadIdx.x; i < len; i += blockDim.x) acc = acc * 3 + gs[len - 1 - i]; block.sync(); }
  out[blockIdx.x * blockDim.x + threadIdx.x] = acc;
}
// 64-bit shuffles, doubles, structures by lane; redux of minima; policies and hints; nanosleep; spaces asked
struct Pair { double d; int i; };
extern "C" __global__ void argmax_pairs(const double* __restrict__ in, double* best, int* where, int n, int row)
{
  auto tile = cg::tiled_partition<16>(cg::this_thread_block()); int g = (blockIdx.x * blockDim.x + threadIdx.x) / 16; Pair p = {-1e300, -1};
  if (g * row >= n) return;
  for (int i = tile.thread_rank(); i < row && g * row + i < n; i += 16) { double v = in[g * row + i]; if (v > p.d) { p.d = v; p.i = i; } }
  for (int d = 8; d; d /= 2) { Pair o; o.d = tile.shfl_down(p.d, d); o.i = tile.shfl_down(p.i, d); if (o.d > p.d || (o.d == p.d && o.i < p.i)) p = o; }
  if (tile.thread_rank() == 0) { best[g] = p.d; where[g] = p.i; __nanosleep(20); }
}
extern "C" __global__ void hints(const int* in, int* out, int n)
{
  __shared__ int s[64]; int l[4] = {1, 2, 3, 4}; int t = blockIdx.x * blockDim.x + threadIdx.x; if (threadIdx.x < 64) s[threadIdx.x] = threadIdx.x; __syncthreads();
  if (t >= n) return;
  u64 pol; asm volatile("createpolicy.fractional.L2::evict_last.b64 %0, 0.5;" : "=l"(pol)); int v, w; asm volatile("ld.global.L2::cache_hint.s32 %0, [%1], %2;" : "=r"(v) : "l"(in + t), "l"(pol));
  asm volatile("ld.global.L1::evict_first.L2::128B.s32 %0, [%1];" : "=r"(w) : "l"(in + n - 1 - t)); int m = __reduce_min_sync(__activemask(), v), r; 
  const int* p = t % 3 == 0 ? s + (t & 63) : t % 3 == 1 ? l + (t & 3) : in + t; if (__isShared(p)) v += *p; else if (__isLocal(p)) v -= *p; else w ^= *p;
  asm volatile("st.global.L2::cache_hint.s32 [%0], %1, %2;" :: "l"(out + t), "r"(v + w), "l"(pol) : "memory"); asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(r) : "l"(out + t) : "memory"); asm volatile("st.release.cta.global.s32 [%0], %1;" :: "l"(out + n + t), "r"(r + (m & 1)) : "memory");
  asm volatile("st.relaxed.sys.global.s32 [%0], %1;" :: "l"(out + 2 * n + t), "r"(r) : "memory");
}
