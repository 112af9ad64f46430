// Block-wide primitives in the manner of a production library, templates all the way down.
typedef unsigned int u32;

namespace prim {

struct Sum {
  template <class T> __device__ T operator()(const T& a, const T& b) const { return a + b; }
};
struct Max {
  template <class T> __device__ T operator()(const T& a, const T& b) const { return a < b ? b : a; }
};

template <class K, class V> struct KeyValue { K key; V value; };

// Sum of values that begins anew where the key (a count of heads) changes.
template <class Op> struct BySegment {
  Op op;
  template <class T>
  __device__ KeyValue<int, T> operator()(const KeyValue<int, T>& a, const KeyValue<int, T>& b) const {
    KeyValue<int, T> r;
    r.key = a.key + b.key;
    r.value = b.key ? b.value : op(a.value, b.value);
    return r;
  }
};

template <class T> __device__ __forceinline__ T shuffle_up(T v, u32 delta) {
  union { T whole; u32 words[(sizeof(T) + 3) / 4]; } u;
  u.whole = v;
#pragma unroll
  for (int i = 0; i < (int)(sizeof(T) / 4); ++i) u.words[i] = __shfl_up_sync(~0u, u.words[i], delta);
  return u.whole;
}

template <class T, int THREADS> class BlockScan {
  static constexpr int kWarps = THREADS / 32;
 public:
  struct Storage { T warp_totals[kWarps]; };
  __device__ explicit BlockScan(Storage& s) : s_(s) {}

  template <class Op> __device__ T inclusive(T v, Op op, T* total = nullptr) {
    const u32 lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
#pragma unroll
    for (u32 d = 1; d < 32; d <<= 1) {
      const T o = shuffle_up(v, d);
      if (lane >= d) v = op(o, v);
    }
    if (lane == 31) s_.warp_totals[warp] = v;
    __syncthreads();
    T run = s_.warp_totals[0], before = run;
#pragma unroll
    for (int w = 1; w < kWarps; ++w) {
      if ((int)warp == w) before = run;
      run = op(run, s_.warp_totals[w]);
    }
    if (total) *total = run;
    return warp ? op(before, v) : v;
  }
  template <class Op, int N> __device__ void inclusive(T (&v)[N], Op op) {
    T sum = v[0];
#pragma unroll
    for (int i = 1; i < N; ++i) v[i] = sum = op(sum, v[i]);
    T all = inclusive(sum, op);
    __shared__ T edge[THREADS];
    edge[threadIdx.x] = all;
    __syncthreads();
    if (threadIdx.x) {
      const T carry = edge[threadIdx.x - 1];
#pragma unroll
      for (int i = 0; i < N; ++i) v[i] = op(carry, v[i]);
    }
  }
 private:
  Storage& s_;
};

template <int THREADS, int ITEMS, class T>
__device__ void striped_to_blocked(T (&items)[ITEMS], T* exchange) {
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) exchange[i * THREADS + threadIdx.x] = items[i];
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) items[i] = exchange[threadIdx.x * ITEMS + i];
  __syncthreads();
}

}  // namespace prim

template <int THREADS, int ITEMS>
__global__ void scan_tiles(const int* in, int* out, int n) {
  using Scan = prim::BlockScan<int, THREADS>;
  __shared__ typename Scan::Storage storage;
  __shared__ int exchange[THREADS * ITEMS];
  int v[ITEMS];
  const int base = blockIdx.x * THREADS * ITEMS;
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = base + i * THREADS + threadIdx.x;
    v[i] = at < n ? in[at] >> 8 : 0;
  }
  prim::striped_to_blocked<THREADS, ITEMS>(v, exchange);
  Scan(storage).inclusive(v, prim::Sum());
  __syncthreads();
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    const int at = base + threadIdx.x * ITEMS + i;
    if (at < n) out[at] = v[i];
  }
}

template <class T, class Op>
__global__ void segmented(const T* in, const unsigned char* heads, T* out, int n) {
  using Item = prim::KeyValue<int, T>;
  using Scan = prim::BlockScan<Item, 128>;
  __shared__ typename Scan::Storage storage;
  Item carry{0, T()};
  for (int base = 0; base < n; base += 128) {
    const int i = base + threadIdx.x;
    Item mine{0, T()};
    if (i < n) {
      mine.key = heads[i] < 20;
      mine.value = in[i];
    }
    Item total;
    prim::BySegment<Op> op;
    Item r = Scan(storage).inclusive(mine, op, &total);
    if (base) r = op(carry, r);
    if (i < n) out[i] = r.value;
    carry = base ? op(carry, total) : total;
    __syncthreads();
  }
}
extern "C" __global__ void segmented_max64(const long long* in, const unsigned char* heads,
                                           long long* out, int n) {
  using Item = prim::KeyValue<int, int>;
  using Scan = prim::BlockScan<Item, 96>;
  __shared__ typename Scan::Storage storage;
  const int i = blockIdx.x * 96 + threadIdx.x;
  const bool valid = i < n;
  Item mine{valid ? heads[i] < 31 : 1, valid ? (int)(in[i] >> 40) : 0};
  const Item low = Scan(storage).inclusive(mine, prim::BySegment<prim::Max>());
  if (valid) out[i] = (long long)low.key << 32 | (u32)low.value;
}

// Run-length encoding of a tile of bytes: runs out, lengths out, number of runs out.
template <int THREADS>
__global__ void run_lengths(const unsigned char* in, unsigned char* values, int* lengths, int* runs,
                            int per_block) {
  using Scan = prim::BlockScan<int, THREADS>;
  __shared__ typename Scan::Storage storage;
  __shared__ int starts[THREADS + 1];
  const unsigned char* tile = in + blockIdx.x * per_block;
  const int t = threadIdx.x;
  const int mine = t < per_block ? tile[t] >> 6 : -1;
  const int head = t < per_block && (t == 0 || (tile[t - 1] >> 6) != mine);
  int total;
  const int rank = Scan(storage).inclusive(head, prim::Sum(), &total) - 1;
  if (head) {
    starts[rank] = t;
    values[blockIdx.x * THREADS + rank] = mine;
  }
  if (t == 0) {
    starts[total] = per_block;
    runs[blockIdx.x] = total;
  }
  __syncthreads();
  if (t < total) lengths[blockIdx.x * THREADS + t] = starts[t + 1] - starts[t];
}

// Three-way partition about two pivots; stable within each part.
extern "C" __global__ void three_way(const int* in, int* out, int* bounds, int low, int high) {
  __shared__ int warps[3][8];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  const int v = in[blockIdx.x * blockDim.x + t];
  const int part = v < low ? 0 : v < high ? 1 : 2;
  int rank = 0;
  for (int p = 0; p < 3; ++p) {
    const u32 votes = __ballot_sync(~0u, part == p);
    if (part == p) rank = __popc(votes & ((1u << lane) - 1));
    if (lane == 0) warps[p][warp] = __popc(votes);
  }
  __syncthreads();
  if (t == 0) {
    int sum = 0;
    for (int p = 0; p < 3; ++p) {
      bounds[blockIdx.x * 3 + p] = sum;
      for (int w = 0; w < (int)blockDim.x / 32; ++w) {
        const int c = warps[p][w];
        warps[p][w] = sum;
        sum += c;
      }
    }
  }
  __syncthreads();
  out[blockIdx.x * blockDim.x + warps[part][warp] + rank] = v;
}

// Sorts 16-bit digits of a block's keys: packed counters of 16 bits, two digits a word.
template <int THREADS, int ITEMS, int BITS>
__global__ void radix_block(const u32* in, u32* out, int begin_bit, int end_bit) {
  constexpr int DIGITS = 1 << BITS, HALF = DIGITS / 2;
  using Scan = prim::BlockScan<u32, THREADS>;
  __shared__ typename Scan::Storage storage;
  __shared__ u32 counters[HALF][THREADS];
  __shared__ u32 keys[THREADS * ITEMS];
  const int t = threadIdx.x;
  u32 key[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) key[i] = in[(blockIdx.x * THREADS + t) * ITEMS + i];
  for (int bit = begin_bit; bit < end_bit; bit += BITS) {
    unsigned short* const wide = reinterpret_cast<unsigned short*>(&counters[0][0]);
    for (int d = 0; d < HALF; ++d) counters[d][t] = 0;
    u32 before[ITEMS];
    unsigned short* place[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) {
      const u32 d = key[i] >> bit & (DIGITS - 1);
      place[i] = wide + ((d % HALF) * THREADS + t) * 2 + d / HALF;
      before[i] = (*place[i])++;
    }
    __syncthreads();
    // Each thread scans HALF consecutive words of the table.
    u32* const row = &counters[0][0] + t * HALF;
    u32 sum = 0;
    for (int d = 0; d < HALF; ++d) sum += row[d];
    u32 total;
    u32 run = Scan(storage).inclusive(sum, prim::Sum(), &total) - sum;
    run += total << 16;
    for (int d = 0; d < HALF; ++d) {
      const u32 c = row[d];
      row[d] = run;
      run += c;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) before[i] += *place[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) keys[before[i]] = key[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; ++i) key[i] = keys[t * ITEMS + i];
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) out[(blockIdx.x * THREADS + t) * ITEMS + i] = key[i];
}

// Stable merge sort of a block by doubling, threads find their place by bisection.
template <class Less>
__device__ int bound(const u32* s, int n, u32 key, Less less) {
  int low = 0;
  while (n > 0) {
    const int half = n >> 1;
    if (less(s[low + half], key)) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}
extern "C" __global__ void merge_sort_block(const u32* in, u32* out, int n) {
  __shared__ u32 a[320], b[320];
  u32 *from = a, *to = b;
  const int t = threadIdx.x;
  if (t < n) from[t] = in[blockIdx.x * n + t] >> 22;
  __syncthreads();
  for (int width = 1; width < n; width *= 2) {
    if (t < n) {
      const int pair = t / (2 * width) * 2 * width, mid = min(pair + width, n),
                end = min(pair + 2 * width, n);
      const u32 key = from[t];
      int at;
      if (t < mid) {
        at = t + bound(from + mid, end - mid, key, [](u32 x, u32 k) { return x < k; });
      } else {
        at = t - mid + pair + bound(from + pair, mid - pair, key, [](u32 x, u32 k) { return x <= k; });
      }
      to[at] = key;
    }
    __syncthreads();
    u32* const swap = from;
    from = to;
    to = swap;
  }
  if (t < n) out[blockIdx.x * n + t] = from[t];
}

// Reduce by key over a long column by one block of 7 warps; sums leave when the key does.
extern "C" __global__ void reduce_by_key(const unsigned char* keys, const int* values, int* sums,
                                         int* groups, int n) {
  __shared__ int warp_sum[7], warp_heads[7];
  __shared__ int base_group;
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) base_group = -1;
  __syncthreads();
  for (int first = 0; first < n; first += blockDim.x) {
    const int i = first + threadIdx.x;
    const bool in_range = i < n;
    const bool head = in_range && (i == 0 || (keys[i] ^ keys[i - 1]) & 0xe0);
    const u32 heads = __ballot_sync(0xffffffffu, head);
    int v = in_range ? values[i] % 1000 : 0;
    const u32 up_to = heads & (0xffffffffu >> (31 - lane));
    const int start = up_to ? 31 - __clz(up_to) : 0;
    for (int o = 1; o < 32; o <<= 1) {
      const int w = __shfl_up_sync(0xffffffffu, v, o);
      if (lane - o >= start) v += w;
    }
    if (lane == 31) warp_sum[warp] = v, warp_heads[warp] = __popc(heads);
    __syncthreads();
    int group = base_group + __popc(up_to);
    for (int w = 0; w < warp; ++w) group += warp_heads[w];
    const bool last_of_run = in_range && (lane == 31 || heads >> (lane + 1) & 1 || i == n - 1);
    if (last_of_run) atomicAdd(sums + group, v);
    __syncthreads();
    if (threadIdx.x == blockDim.x - 1) base_group = group;
    __syncthreads();
  }
  if (threadIdx.x == 0) *groups = base_group + 1;
}
