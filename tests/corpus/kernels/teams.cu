// Lanes that agree: votes, matches, widths of shuffles, groups, named barriers, odd atomics.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cuda_fp16.h>
namespace cg = cooperative_groups;
#define ALL 0xffffffffu

// Quarter warps: rotations, broadcasts and sums of width 8 and 16.
extern "C" __global__ void narrow_shuffles(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  int v = in[i] >> 12;
  const int turned = __shfl_sync(ALL, v, lane + 3, 8);
  int sum = v;
  sum += __shfl_down_sync(ALL, sum, 4, 8);
  sum += __shfl_down_sync(ALL, sum, 2, 8);
  sum += __shfl_down_sync(ALL, sum, 1, 8);
  sum = __shfl_sync(ALL, sum, 0, 8);
  int most = v;
  for (int o = 8; o; o >>= 1) most = max(most, __shfl_xor_sync(ALL, most, o, 16));
  const int past = __shfl_up_sync(ALL, v, 5, 16), beyond = __shfl_down_sync(ALL, v, 30);
  const int outside = __shfl_xor_sync(ALL, v, 24, 16);
  out[i] = turned ^ sum * 3 ^ most * 5 ^ past * 7 ^ beyond * 11 ^ outside * 13;
}

// Nth set bits, reversed words, leading zeros: positions handed out to lanes.
extern "C" __global__ void nth_bits(const unsigned* in, unsigned* out, int rounds) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned v = in[i], sum = 0;
  for (int r = 0; r < rounds; ++r) {
    const unsigned votes = __ballot_sync(ALL, v >> r & 1);
    const unsigned third = __fns(votes, 0, 3), back = __fns(votes, lane, -2);
    sum = sum * 33 + third + (back == ALL ? 77 : back);
    const int leader = 31 - __clz(votes | 1);
    const unsigned given = __shfl_sync(ALL, v, leader);
    v ^= __brev(given) + __popc(votes & ~(ALL << lane));
    if (__all_sync(ALL, v & 1)) v += lane;
    if (!__any_sync(ALL, v >> 31)) v = ~v;
  }
  out[i] = sum ^ v;
}

// Rounds of elections: equal keys elect the lowest lane, the elected retire.
extern "C" __global__ void elections(const unsigned* keys, int* winners, int* rounds_out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned alive = __ballot_sync(ALL, i < n);
  if (i >= n) return;
  const unsigned key = keys[i] & 7;
  int rounds = 0;
  while (true) {
    const unsigned peers = __match_any_sync(alive, key);
    ++rounds;
    const bool elected = lane == __ffs(peers) - 1;
    alive = __ballot_sync(alive, !elected);
    if (elected) {
      winners[i] = rounds;
      break;
    }
  }
  if (lane == 31 || i == n - 1) rounds_out[i >> 5] = rounds;
}

// Producers and consumers in one block through named barriers; two halves of 64.
extern "C" __global__ void two_halves(const int* in, int* out, int steps) {
  __shared__ int box[2][64];
  const int t = threadIdx.x & 63;
  const bool producer = threadIdx.x < 64;
  int sum = 0;
  for (int s = 0; s < steps; ++s) {
    const int slot = s & 1;
    if (producer) {
      if (s >= 2) asm volatile("bar.sync %0, 128;" ::"r"(3 + slot) : "memory");
      box[slot][t] = in[(blockIdx.x * steps + s) * 64 + t] >> 16;
      asm volatile("bar.arrive %0, 128;" ::"r"(1 + slot) : "memory");
    } else {
      asm volatile("bar.sync %0, 128;" ::"r"(1 + slot) : "memory");
      sum += box[slot][t ^ 1] * (s + 1) + box[slot][63 - t];
      if (s + 2 < steps) asm volatile("bar.arrive %0, 128;" ::"r"(3 + slot) : "memory");
    }
  }
  if (!producer) out[blockIdx.x * 64 + t] = sum;
}

// Each pair of warps has its own barrier and its own scan.
extern "C" __global__ void paired_warps(const unsigned short* in, int* out) {
  __shared__ int sums[8];
  const int t = threadIdx.x, pair = t >> 6, lane = t & 31, warp = t >> 5;
  int v = in[blockIdx.x * blockDim.x + t];
  for (int rounds = 0; rounds <= pair; ++rounds) {
    for (int o = 1; o < 32; o <<= 1) {
      const int w = __shfl_up_sync(ALL, v, o);
      if (lane >= o) v += w & 0xfff;
    }
    if (lane == 31) sums[warp] = v;
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
    if (warp & 1) v += sums[warp - 1] & 0xffff;
    asm volatile("bar.sync %0, 64;" ::"r"(pair + 1) : "memory");
  }
  out[blockIdx.x * blockDim.x + t] = v;
}

// Votes of the whole block steer a search by halving.
extern "C" __global__ void block_votes(const unsigned* in, unsigned* threshold, int* counts, int want) {
  const unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
  unsigned low = 0, high = ALL;
  int steps = 0;
  while (low < high) {
    const unsigned mid = low + (high - low) / 2;
    const int below = __syncthreads_count(v <= mid);
    ++steps;
    if (below >= want) high = mid;
    else low = mid + 1;
    if (__syncthreads_and(v > high || v < low || v == low)) break;
  }
  if (threadIdx.x == 0) threshold[blockIdx.x] = low;
  const int equal = __syncthreads_count(v == low);
  const int odd = __syncthreads_or(v == low && (threadIdx.x & 1));
  if (threadIdx.x == 0) counts[blockIdx.x] = equal << 16 | steps << 1 | (odd != 0);
}

// Parts of a warp meet on their own: thirds of different length.
extern "C" __global__ void partial_masks(const int* in, int* out) {
  __shared__ int s[64];
  const int t = threadIdx.x, lane = t & 31, i = blockIdx.x * 64 + t;
  const unsigned mine = lane < 7 ? 0x7fu : lane < 20 ? 0xfff80u : 0xfff00000u;
  const int first = __ffs(mine) - 1, size = __popc(mine), rank = lane - first;
  int* const part = s + (t & 32) + first;
  part[rank] = in[i] & 0xffff;
  if (lane < 7) {
    for (int k = 0; k < 3; ++k) {
      __syncwarp(0x7f);
      const int v = part[(rank + 1) % 7];
      __syncwarp(0x7f);
      part[rank] += v;
    }
  } else if (lane < 20) {
    for (int o = 1; o < size; o *= 2) {
      __syncwarp(mine);
      const int v = rank >= o ? part[rank - o] : 0;
      __syncwarp(mine);
      part[rank] += v;
    }
  } else {
    int v = part[rank];
    v += __shfl_xor_sync(0xfff00000u, v, 1);
    v += __shfl_xor_sync(0xfff00000u, v, 2);
    if (__all_sync(0xfff00000u, v & 1)) v = -v;
    part[rank] = v;
  }
  __syncwarp();
  out[i] = s[(t & 32) + (lane * 5 & 31)];
}

// Compare-and-swap makes atomics that are not there: maximum of floats, product of doubles,
// additions of halves and bytes. One warp, so that what happens is known.
__device__ float atomic_max(float* p, float v) {
  int old = __float_as_int(*(volatile float*)p);
  while (__int_as_float(old) < v) {
    const int seen = old;
    old = atomicCAS((int*)p, seen, __float_as_int(v));
    if (old == seen) break;
  }
  return __int_as_float(old);
}
__device__ void atomic_multiply(double* p, double v) {
  unsigned long long* const w = (unsigned long long*)p;
  unsigned long long seen, old = *w;
  do {
    seen = old;
    old = atomicCAS(w, seen, (unsigned long long)__double_as_longlong(__longlong_as_double(seen) * v));
  } while (old != seen);
}
__device__ void atomic_add_byte(unsigned char* p, int v) {
  unsigned* const w = (unsigned*)((size_t)p & ~(size_t)3);
  const int shift = ((size_t)p & 3) * 8;
  unsigned seen, old = *w;
  do {
    seen = old;
    const unsigned byte = (seen >> shift) + v & 255;
    old = atomicCAS(w, seen, (seen & ~(255u << shift)) | byte << shift);
  } while (old != seen);
}
extern "C" __global__ void swap_loops(const float* in, float* most, double* product, unsigned char* bytes,
                                      unsigned short* shorts) {
  const int lane = threadIdx.x;
  const float v = in[blockIdx.x * 32 + lane];
  atomic_max(most + blockIdx.x, v);
  if (lane % 4 == 1) atomic_multiply(product + blockIdx.x, 1.0 + (lane & 8) * 0.125);
  atomic_add_byte(bytes + blockIdx.x * 8 + (lane * 3 & 7), lane);
  unsigned short* const h = shorts + blockIdx.x * 2 + (lane & 1);
  unsigned short old = *h, seen;
  do {
    seen = old;
    old = atomicCAS(h, seen, (unsigned short)(seen + lane));
  } while (old != seen);
}

// All the kinds of integer atomics, 32 and 64 bits, both memories. What they give back is used
// only where the order does not matter.
extern "C" __global__ void atomic_zoo(const unsigned* in, unsigned* words, unsigned long long* longs, int n) {
  __shared__ unsigned s[8];
  __shared__ unsigned long long l[6];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  if (t < 8) s[t] = t == 2 || t == 4 ? ALL : 0;
  if (t >= 8 && t < 14) l[t - 8] = t == 10 || t == 12 ? ~0ull : 0;
  __syncthreads();
  if (i < n) {
    const unsigned v = in[i];
    const unsigned long long w = (unsigned long long)v * 0x9e3779b97f4a7c15ull;
    atomicAdd(&s[0], v);
    atomicMax((int*)&s[1], (int)v);
    atomicMin(&s[2], v);
    atomicXor(&s[3], v);
    if (v & 1) atomicAnd(&s[4], v | 0xff);
    else atomicOr(&s[5], v >> 4);
    atomicInc(&s[6], 36);
    if (v % 3) atomicDec(&s[7], 40);
    atomicAdd(&l[0], w);
    atomicMax(&l[1], w);
    atomicMin(&l[2], w);
    switch (v & 3) {
      case 0: atomicXor(&l[3], w); break;
      case 1: atomicAnd(&l[4], w | 0xffffffff0ull); break;
      case 2: atomicOr(&l[5], w & 0x0123456789abcdefull); break;
      default: atomicMax((long long*)&longs[6], (long long)w);
    }
    atomicMin((long long*)&longs[7], (long long)w);
    atomicInc(&words[8], 1000);
  }
  __syncthreads();
  if (t < 8) {
    if (t == 2) atomicMax(&words[t], ~s[t]);
    else if (t == 4) atomicOr(&words[t], ~s[t]);
    else if (t == 3) atomicXor(&words[t], s[t]);
    else if (t == 5) atomicOr(&words[t], s[t]);
    else if (t == 1) atomicMax((int*)&words[t], (int)s[t]);
    else atomicAdd(&words[t], s[t]);
  } else if (t < 14) {
    const unsigned long long x = l[t - 8];
    if (t == 8) atomicAdd(&longs[0], x);
    else if (t == 11) atomicXor(&longs[3], x);
    else if (t == 10 || t == 12) atomicMax(&longs[t - 8], ~x);
    else atomicMax(&longs[t - 8], x);
  }
  if (t == 31) atomicExch(&words[9], 4711u);
  if (t == 30) atomicAdd_system(&words[10], 2u);
  if (t == 29) atomicAdd_block(&longs[8 + blockIdx.x], 3ull);
}

// Groups within groups: tiles of 4 in tiles of 16, scans, sums and votes; then who is left.
template <int SIZE>
__global__ void tiles(const int* in, int* out, int n) {
  const cg::thread_block block = cg::this_thread_block();
  const auto outer = cg::tiled_partition<SIZE>(block);
  const auto inner = cg::tiled_partition<SIZE / 4>(outer);
  const int i = blockIdx.x * block.size() + block.thread_rank();
  int v = i < n ? in[i] >> 20 : 0;
  const int sum = cg::reduce(outer, v, cg::plus<int>());
  const int most = cg::reduce(inner, v, cg::greater<int>());
  const int before = cg::inclusive_scan(outer, v, [](int a, int b) { return a ^ b; });
  v = inner.shfl(v, inner.size() - 1 - inner.thread_rank()) + outer.shfl_up(v, 2);
  if (outer.any(v > most)) v += sum;
  else v -= before;
  outer.sync();
  if (v & 1) {
    const auto left = cg::coalesced_threads();
    v += left.size() * 1000 + left.thread_rank() * 100 + left.shfl(v, 0);
    if (left.thread_rank() & 1) {
      const auto fewer = cg::coalesced_threads();
      v ^= fewer.ballot(v & 4);
    }
  }
  if (i < n) out[i] = v ^ most ^ before;
}

// Warp-aggregated append to one of three queues; order within the queues is the hardware's.
extern "C" __global__ void append_three(const unsigned* in, int* sizes, unsigned* sums, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned v = in[i];
  const int queue = v % 7 < 3 ? 0 : v % 7 < 5 ? 1 : 2;
  for (int q = 0; q < 3; ++q) {
    if (queue != q) continue;
    const auto g = cg::coalesced_threads();
    int at = 0;
    if (g.thread_rank() == 0) at = atomicAdd(sizes + q, g.size());
    at = g.shfl(at, 0) + g.thread_rank();
    atomicAdd(sums + q, at * 2 + 1);  // odd numbers: a square in the end
  }
}

// Bits of a warp as a 32 x 32 matrix, transposed by five rounds; then agreement.
extern "C" __global__ void bit_transpose(const unsigned* in, unsigned* out, int* agree) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  unsigned v = in[i], mask = 0x0000ffffu;
#pragma unroll
  for (int o = 16; o; o >>= 1) {
    const unsigned other = __shfl_xor_sync(ALL, v, o);
    v = lane & o ? (v & ~mask) | (other >> o & mask) : (v & mask) | (other << o & ~mask);
    mask ^= mask << (o >> 1);
  }
  out[i] = v;
  int same;
  __match_all_sync(ALL, __popc(v) >> 3, &same);
  const unsigned group = __match_any_sync(ALL, (unsigned long long)(__popc(v) & 1) << 40);
  if (lane == 31 - __clz(group)) atomicAdd(agree + (i >> 5 & 3), __popc(group) + 100 * same);
}
