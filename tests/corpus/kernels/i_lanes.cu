// lanes that leave, tiles, partitions, warp roles
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
typedef unsigned u32;

// lanes leave, the rest shuffle with the mask of who is left
extern "C" __global__ void leave_then_shuffle(const float* __restrict__ in, float* out, int n)
{
  int t = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
  int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  t = t * (blockDim.x * blockDim.y * blockDim.z) + tid;
  u32 all = __ballot_sync(__activemask(), t < n && in[t] > -0.5f);
  if (t >= n || !(in[t] > -0.5f)) return;
  float v = in[t];
  int lane = tid & 31;
  int width = __popc(all), rank = __popc(all & ((1u << lane) - 1));
  for (int d = 1; d < width; d <<= 1) {
    int from = rank >= d ? __fns(all, 0, rank - d + 1) : lane;
    float o = __shfl_sync(all, v, from);
    if (rank >= d) v += o;
  }
  out[t] = v;
}

template<int T> __global__ void tile_sort(const int* in, int* out, int n)
{
  auto tile = cg::tiled_partition<T>(cg::this_thread_block());
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  int v = t < n ? in[t] & 0xfff : 0x7fffffff;
  for (int k = 2; k <= T; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      int o = tile.shfl_xor(v, j);
      bool up = (tile.thread_rank() & k) == 0 || k == T, low = (tile.thread_rank() & j) == 0;
      v = (low == up) ? min(v, o) : max(v, o);
    }
  if (tile.any(v & 1) && tile.thread_rank() == 0 && t < n) v |= 1 << 20;
  int s = cg::reduce(tile, v & 0xff, cg::plus<int>());
  if (t < n) out[t] = v + (s << 21 >> 21) ;
}

extern "C" __global__ void partitions(const int* __restrict__ in, int* out, int n, int labels)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int key = (in[t] & 0x7fff) % labels;
  auto w = cg::coalesced_threads();
  auto g = cg::labeled_partition(w, key);
  int s = cg::reduce(g, t, cg::greater<int>());
  auto b = cg::binary_partition(g, (in[t] >> 16) & 1);
  int r = cg::exclusive_scan(b, 1, cg::plus<int>());
  out[t] = s * 64 + r + 1000 * (int)b.size();
}

extern "C" __global__ void matches(const u32* __restrict__ in, u32* out, int n, u32 mod)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  bool in_range = t < n;
  u32 mask = __ballot_sync(0xffffffffu, in_range);
  if (!in_range) return;
  u32 k = in[t] % mod;
  u32 same = __match_any_sync(mask, k);
  int pred; u32 all = __match_all_sync(mask, k >> 8, &pred);
  u32 sum = __reduce_add_sync(same, k + 1), mx = __reduce_max_sync(mask, k), andv = __reduce_and_sync(same, in[t]), xo = __reduce_xor_sync(mask, t);
  if ((threadIdx.x & 31) == __ffs(same) - 1) { out[t] = sum; }
  else if (pred) out[t] = all ^ mx;
  else out[t] = (andv | 1) + xo;
}

// named barriers: half of the warps fill, the other half drains
template<int STAGES> __global__ void roles(const float* __restrict__ in, float* out, int tiles)
{
  __shared__ float buf[STAGES][128];
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 127;
  int base = blockIdx.x * tiles * 128;
  if (warp < 4) {
    for (int i = 0; i < tiles; ++i) {
      int s = i % STAGES;
      if (i >= STAGES) asm volatile("bar.sync %0, 256;" :: "r"(1 + STAGES + s) : "memory");
      float v = in[base + i * 128 + lane];
      buf[s][lane ^ (i & 31)] = v * 2.f + 1.f;
      asm volatile("bar.arrive %0, 256;" :: "r"(1 + s) : "memory");
    }
  } else {
    float acc = 0;
    for (int i = 0; i < tiles; ++i) {
      int s = i % STAGES;
      asm volatile("bar.sync %0, 256;" :: "r"(1 + s) : "memory");
      acc += buf[s][(lane * 5) & 127] - buf[s][127 - lane];
      if (i + STAGES < tiles) asm volatile("bar.arrive %0, 256;" :: "r"(1 + STAGES + s) : "memory");
    }
    out[blockIdx.x * 128 + lane] = acc;
  }
}

// odd blocks; barrier.red with a predicate, partial last warp
extern "C" __global__ void counts_or(const int* in, int* out, int n)
{
  int tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x, size = blockDim.x * blockDim.y * blockDim.z;
  int t = blockIdx.x * size + tid, rounds = 0, v = t < n ? in[t] & 1023 : 0;
  while (__syncthreads_or(v > 7)) { v = v > 7 ? (v >> 1) - (tid & 1) : v; ++rounds; }
  int c = __syncthreads_count(v & 1), a = __syncthreads_and(v < 8);
  if (t < n) out[t] = rounds * 10000 + c * 10 + a;
}

// ballot compaction within a block, ordered
template<int WARPS> __global__ void compact(const int* __restrict__ in, int* out, int* sizes, int n)
{
  __shared__ int counts[WARPS];
  int t = blockIdx.x * (WARPS * 32) + threadIdx.x, warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  int v = t < n ? in[t] : 0; bool keep = t < n && ((v >> 3) % 3) == 1;
  u32 m = __ballot_sync(~0u, keep);
  if (lane == 0) counts[warp] = __popc(m);
  __syncthreads();
  int at = __popc(m & ((1u << lane) - 1));
  for (int w = 0; w < warp; ++w) at += counts[w];
  if (keep) out[blockIdx.x * WARPS * 32 + at] = v;
  if (threadIdx.x == WARPS * 32 - 1) sizes[blockIdx.x] = at + keep;
}

// goto soup with divergent breaks at several depths
extern "C" __global__ void breaks(const int* __restrict__ in, int* out, int n, int a, int b)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x, x = 0, sum = 0, i, j;
  if (t >= n) return;
  x = in[t];
again:
  for (i = 0; i < a; ++i) {
    if ((x & 15) == 3) { x ^= 0x55; continue; }
    for (j = 0; ; ++j) {
      if (j > b) break;
      if (((x >> j) & 3) == 2) { if (j & 1) goto next; else break; }
      if ((sum += x & 7) > 400) goto out_;
      x = x * 5 + j;
      if (x % 11 == 0) { x += i; goto again_checked; }
    }
    x = (x >> 2) ^ (j << 9);
  next:
    sum += j;
  }
  goto out_;
again_checked:
  if (++sum < 200 && (x & 1)) { sum += 10; goto again; }
out_:
  out[t] = sum * 4096 + (x & 4095);
}

// side effects in short-circuit conditions
__device__ __noinline__ bool bump(int* p, int lim) { return ++*p < lim; }
extern "C" __global__ void shortcuts(const int* __restrict__ in, int4* out, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int a = in[t] & 3, b = (in[t] >> 4) & 7, c = 0, d = 0;
  while ((bump(&a, 6) && bump(&b, 9)) || (bump(&c, 3) && !(a == 5 || bump(&d, b)))) {
    if (a > 4 && (b++ & 1)) c += (d ? --d : 2);
    else if (!(c && bump(&c, 4)) || d-- > 2) ++a;
    if (a + b + c + d > 24) break;
  }
  out[t] = make_int4(a, b, c, d);
}

// warps with different numbers of rounds and __syncwarp inside divergent halves
extern "C" __global__ void half_warps(const float* in, float* out, int rounds)
{
  __shared__ float s[8][33];
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
  s[warp][lane] = in[blockIdx.x * blockDim.x + threadIdx.x];
  __syncwarp();
  for (int r = 0; r < rounds + warp; ++r) {
    if (lane < 16) {
      float v = s[warp][(lane + 1) & 15]; __syncwarp(0xffff);
      s[warp][lane] = v * 0.5f + r; __syncwarp(0xffff);
    } else {
      float v = __shfl_down_sync(0xffff0000u, s[warp][lane], 3); __syncwarp(0xffff0000u);
      s[warp][lane] = v + lane; __syncwarp(0xffff0000u);
    }
  }
  __syncwarp();
  out[blockIdx.x * blockDim.x + threadIdx.x] = s[warp][31 - lane];
}
