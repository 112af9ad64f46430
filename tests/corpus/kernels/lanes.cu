// Warps that work as one: shuffles of 64 bits, votes, matching, reductions, groups of active lanes.
#define FULL 0xffffffffu

extern "C" __global__ void shuffle_wide(const double* in, const long long* whole, double* out,
                                        long long* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  double v = in[i];
  long long w = whole[i] >> 20;
  for (int o = 16; o > 0; o >>= 1) {
    v = fmax(v, __shfl_xor_sync(FULL, v, o));
    w += __shfl_down_sync(FULL, w, o);
  }
  out[i] = v;
  if ((threadIdx.x & 31) == 0) sums[i / 32] = w;
}

extern "C" __global__ void reductions(const unsigned* in, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const unsigned v = in[i];
  unsigned r = __reduce_add_sync(FULL, v & 255) ^ __reduce_max_sync(FULL, v);
  r += __reduce_and_sync(FULL, v | 15) ^ __reduce_xor_sync(FULL, v);
  if (lane < 20) {
    r += __reduce_min_sync(0x000fffffu, (int)v >> 3);
  } else {
    r ^= __reduce_or_sync(0xfff00000u, v & 0xf0);
  }
  out[i] = r;
}

// One atomic per distinct key of a warp.
extern "C" __global__ void matched_sums(const unsigned* keys, const int* values, int* sums,
                                        int keys_mask) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const unsigned key = keys[i] & keys_mask;
  const unsigned peers = __match_any_sync(FULL, key);
  int sum = 0;
  for (unsigned rest = peers; rest; rest &= rest - 1) {
    const int from = __ffs(rest) - 1;
    sum += __shfl_sync(peers, values[i] & 15, from);
  }
  int all;
  const unsigned same = __match_all_sync(FULL, key & 0, &all);
  if (lane == __ffs(peers & same) - 1 && all) atomicAdd(sums + key, sum);
}

// Stream compaction: ballots within warps, a scan over warps, one atomic a block. One block.
extern "C" __global__ void compact(const int* in, int* out, int* count, int n) {
  __shared__ int offsets[33];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + threadIdx.x;
    const bool keep = i < n && (in[i] & 3) == 0;
    const unsigned votes = __ballot_sync(FULL, keep);
    if (lane == 0) offsets[warp] = __popc(votes);
    __syncthreads();
    if (warp == 0) {
      int v = lane < warps ? offsets[lane] : 0;
      for (int o = 1; o < 32; o <<= 1) {
        const int other = __shfl_up_sync(FULL, v, o);
        if (lane >= o) v += other;
      }
      if (lane == 31) offsets[32] = atomicAdd(count, v);
      if (lane < warps) offsets[lane] = v - offsets[lane];
    }
    __syncthreads();
    if (keep) out[offsets[32] + offsets[warp] + __popc(votes & ((1u << lane) - 1))] = in[i];
    __syncthreads();
  }
}

// A scan that starts anew at flags, for a whole block.
extern "C" __global__ void segmented_scan(const int* in, const unsigned char* flags, int* out) {
  __shared__ int tail[32];
  __shared__ bool any[32];
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  const int warp = threadIdx.x >> 5;
  bool flag = flags[i] < 24 || threadIdx.x == 0;
  int v = in[i];
  const unsigned heads = __ballot_sync(FULL, flag);
  const unsigned before = heads & (FULL >> (31 - lane));
  const int start = before ? 31 - __clz(before) : 0;
#pragma unroll
  for (int o = 1; o < 32; o *= 2) {
    const int other = __shfl_up_sync(FULL, v, o);
    if (lane - o >= start) v += other;
  }
  if (lane == 31) {
    tail[warp] = v;
    any[warp] = heads != 0;
  }
  __syncthreads();
  if (before == 0) {
    for (int w = warp - 1; w >= 0; --w) {
      v += tail[w];
      if (any[w]) break;
    }
  }
  out[i] = v;
}

// Lanes that are there count together; the leader asks once.
extern "C" __global__ void aggregated(const int* in, int* counters, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int v = in[i];
  if (v % 3 == 0) {
    const unsigned active = __activemask();
    if ((threadIdx.x & 31) == __ffs(active) - 1) atomicAdd(counters, __popc(active));
  } else if (__any_sync(__activemask(), v % 5 == 0)) {
    atomicAdd(counters + 1, 1);
  } else {
    atomicMax(counters + 2, v);
  }
}

// A transpose of 32 x 32 within registers, five rounds of exchange.
extern "C" __global__ void register_transpose(const int* in, int* out) {
  const int lane = threadIdx.x & 31;
  int row[32];
#pragma unroll
  for (int i = 0; i < 32; ++i) row[i] = in[(blockIdx.x * 32 + i) * 32 + lane];
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
#pragma unroll
    for (int i = 0; i < 32; ++i) {
      if (i & o) continue;
      const bool upper = lane & o;
      const int give = upper ? row[i] : row[i | o];
      const int get = __shfl_xor_sync(FULL, give, o);
      if (upper) {
        row[i] = get;
      } else {
        row[i | o] = get;
      }
    }
  }
#pragma unroll
  for (int i = 0; i < 32; ++i) out[(blockIdx.x * 32 + i) * 32 + lane] = row[i];
}

// Double, 64-bit and packed atomics; minimum of floats through their bits.
extern "C" __global__ void mixed_atomics(const float* in, double* total, unsigned long long* most,
                                         int* least, unsigned* bits, int n) {
  __shared__ double block_total;
  __shared__ unsigned long long packed;
  if (threadIdx.x == 0) block_total = 0.0, packed = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    const float v = in[i];
    if (threadIdx.x % 32 == 5) atomicAdd(&block_total, 1.0);
    if (threadIdx.x % 32 == 7) {
      atomicMax(&packed, (unsigned long long)__float_as_uint(fabsf(v)) << 32 | i);
    }
    if (v >= 0) atomicMin(least + (i & 3), __float_as_int(v));
    atomicOr(bits + i / 32, v > 0 ? 1u << (i & 31) : 0u);
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    atomicAdd(total, block_total);
    atomicMax(most, packed);
  }
}
