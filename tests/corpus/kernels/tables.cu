// A database's corner: hash tables, filters, sketches, groups, joins.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
#include <cstdint>
namespace cg = cooperative_groups;

__host__ __device__ inline uint32_t murmur(uint32_t h, uint32_t seed) {
  h ^= seed;
  h *= 0xcc9e2d51u;
  h = h << 15 | h >> 17;
  h = h * 0x1b873593u ^ h >> 16;
  h *= 0x85ebca6bu;
  return h ^ h >> 13;
}

// Bloom filter: k bits a key. First build, then ask.
extern "C" __global__ void bloom_build(const uint32_t* keys, uint32_t* bits, int n, int k, int log_bits) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const uint32_t h1 = murmur(keys[i], 1), h2 = murmur(keys[i], 99) | 1;
    for (int j = 0; j < k; ++j) {
      const uint32_t bit = (h1 + j * h2) >> (32 - log_bits);
      atomicOr(bits + (bit >> 5), 1u << (bit & 31));
    }
  }
}
extern "C" __global__ void bloom_ask(const uint32_t* keys, const uint32_t* bits, uint8_t* maybe, int n,
                                     int k, int log_bits) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t h1 = murmur(keys[i], 1), h2 = murmur(keys[i], 99) | 1;
  bool all = true;
  for (int j = 0; j < k && all; ++j) {
    const uint32_t bit = (h1 + j * h2) >> (32 - log_bits);
    all = bits[bit >> 5] >> (bit & 31) & 1;
  }
  maybe[i] = all;
}

// Counting distinct keys: registers in shared memory, merged by maximum.
extern "C" __global__ void hyperloglog(const uint64_t* keys, int* registers, int n) {
  __shared__ int mine[64];
  if (threadIdx.x < 64) mine[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint64_t h = keys[i] & 0x3ff;
    h = (h ^ h >> 33) * 0xff51afd7ed558ccdull;
    h = (h ^ h >> 29) * 0xc4ceb9fe1a85ec53ull;
    atomicMax(&mine[h & 63], __clzll(h >> 6 << 6 | 32) + 1);
  }
  __syncthreads();
  if (threadIdx.x < 64 && mine[threadIdx.x]) atomicMax(registers + threadIdx.x, mine[threadIdx.x]);
}

// Count-min sketch with four rows of 16-bit counters, two to a word.
extern "C" __global__ void count_min(const uint32_t* keys, uint32_t* sketch, uint16_t* estimate, int n) {
  __shared__ uint32_t rows[4][64];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += blockDim.x) rows[i >> 6][i & 63] = 0;
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) {
    const uint32_t key = keys[blockIdx.x * n + i] % 300;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const uint32_t c = murmur(key, r * 77 + 5) & 127;
      atomicAdd(&rows[r][c >> 1], c & 1 ? 0x10000u : 1u);
    }
  }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) {
    const uint32_t key = keys[blockIdx.x * n + i] % 300;
    uint32_t least = 0xffff;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      const uint32_t c = murmur(key, r * 77 + 5) & 127;
      least = min(least, rows[r][c >> 1] >> (c & 1) * 16 & 0xffff);
    }
    estimate[blockIdx.x * n + i] = least;
  }
  for (int i = t; i < 256; i += blockDim.x) sketch[blockIdx.x * 256 + i] = (&rows[0][0])[i];
}

// GROUP BY a small key: sum, minimum, maximum, count; a private table per block.
struct Aggregate {
  unsigned long long sum;
  int least, most;
  unsigned count;
};
extern "C" __global__ void group_by(const uint8_t* key, const int* value, Aggregate* out, int n,
                                    int groups) {
  extern __shared__ Aggregate table[];
  for (int g = threadIdx.x; g < groups; g += blockDim.x) {
    table[g] = {0, 0x7fffffff, (int)0x80000000, 0};
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    Aggregate* const a = table + key[i] % groups;
    const int v = value[i];
    if (v < -1900000000) continue;  // NULL
    atomicAdd(&a->sum, (unsigned long long)(long long)v);
    atomicMin(&a->least, v);
    atomicMax(&a->most, v);
    atomicInc(&a->count, 0xffffffffu);
  }
  __syncthreads();
  for (int g = threadIdx.x; g < groups; g += blockDim.x) {
    if (table[g].count == 0) continue;
    atomicAdd(&out[g].sum, table[g].sum);
    atomicMin(&out[g].least, table[g].least);
    atomicMax(&out[g].most, table[g].most);
    atomicAdd(&out[g].count, table[g].count);
  }
}

// Buckets of eight that a tile of eight lanes probes together; a table that is there.
extern "C" __global__ void probe_tiles(const uint32_t* keys, const uint32_t* table, int* found, int n,
                                       int buckets) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int groups = gridDim.x * blockDim.x / 8;
  for (int i = (blockIdx.x * blockDim.x + threadIdx.x) / 8; i < n; i += groups) {
    const uint32_t key = keys[i] & 0x1ff;
    uint32_t bucket = murmur(key, 3) % buckets;
    int result = -1;
    for (int tries = 0; tries < buckets; ++tries) {
      const uint32_t there = table[bucket * 8 + tile.thread_rank()] & 0x1ff;
      const unsigned hit = tile.ballot(there == key);
      if (hit) {
        result = bucket * 8 + __ffs(hit) - 1;
        break;
      }
      if (tile.any(there < 24)) break;  // an empty place ends the chain
      bucket = bucket + 1 == buckets ? 0 : bucket + 1;
    }
    if (tile.thread_rank() == 0) found[i] = result;
  }
}

// Cuckoo: one warp a table, one key after the other so that all is known.
extern "C" __global__ void cuckoo_serial(const uint32_t* keys, uint32_t* tables, int* kicks, int n) {
  __shared__ uint32_t slot[4][2][32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5, who = blockIdx.x * 4 + warp;
  slot[warp][0][lane] = slot[warp][1][lane] = 0;
  __syncwarp();
  int moved = 0;
  for (int i = 0; i < n; ++i) {
    if (lane == i % 32) {
      uint32_t key = keys[who * n + i] | 1;
      for (int hop = 0; hop < 20; ++hop) {
        uint32_t& place = slot[warp][hop & 1][murmur(key, hop & 1 ? 17 : 4) & 31];
        const uint32_t old = place;
        place = key;
        if (old == 0 || old == key) break;
        key = old;
        ++moved;
      }
    }
    __syncwarp();
  }
  moved = __reduce_add_sync(0xffffffffu, moved);
  tables[who * 64 + lane] = slot[warp][0][lane];
  tables[who * 64 + 32 + lane] = slot[warp][1][lane];
  if (lane == 0) kicks[who] = moved;
}

// Hash join, probe side: chains in an array of links (made by the key's order), then a filter.
extern "C" __global__ void join_probe(const uint32_t* build, const uint32_t* probe, uint2* pairs,
                                      unsigned* count, int n, int m) {
  __shared__ short head[64];
  __shared__ short link[256];
  const int t = threadIdx.x;
  if (t < 64) {
    // Bucket t's chain: its members in falling order.
    int last = -1;
    for (int i = 0; i < n; ++i) {
      if ((build[i] % 200 * 5 & 63) == t) {
        link[i] = last;
        last = i;
      }
    }
    head[t] = last;
  }
  __syncthreads();
  for (int j = blockIdx.x * blockDim.x + t; j < m; j += gridDim.x * blockDim.x) {
    const uint32_t key = probe[j] % 200;
    int matches = 0;
    for (int i = head[key * 5 & 63]; i >= 0; i = link[i]) {
      if (build[i] % 200 != key) continue;
      ++matches;
    }
    pairs[j] = make_uint2(key, matches);
    if (matches) {
      const auto active = cg::coalesced_threads();
      const int sum = cg::reduce(active, matches, cg::plus<int>());
      if (active.thread_rank() == 0) atomicAdd(count, sum);
    }
  }
}

// A filter writes the row numbers that pass: order within the block is kept.
extern "C" __global__ void select_rows(const int* a, const uint16_t* b, unsigned* rows, int* counts,
                                       int per_block, int low, int high) {
  const auto block = cg::this_thread_block();
  const auto warp = cg::tiled_partition<32>(block);
  __shared__ int base;
  __shared__ int totals[5];
  if (block.thread_rank() == 0) base = 0;
  block.sync();
  for (int first = 0; first < per_block; first += block.size()) {
    const int k = first + block.thread_rank(), i = blockIdx.x * per_block + k;
    const int pass = k < per_block && a[i] >= low && (a[i] < high || b[i] % 10 == 3);
    const int before = cg::exclusive_scan(warp, pass);
    if (warp.thread_rank() == 31) totals[warp.meta_group_rank()] = before + pass;
    block.sync();
    int at = base + before;
    for (unsigned w = 0; w < warp.meta_group_rank(); ++w) at += totals[w];
    if (pass) rows[blockIdx.x * per_block + at] = i;
    block.sync();
    if (block.thread_rank() == block.size() - 1) base = at + pass;
    block.sync();
  }
  if (block.thread_rank() == 0) counts[blockIdx.x] = base;
}

// Keys of a warp that are the same go together: labels, sums within, one atomic each.
extern "C" __global__ void labelled_sums(const uint32_t* keys, const float* value, float* sums,
                                         unsigned long long* seen, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint32_t key = keys[i] % 11;
  const auto active = cg::coalesced_threads();
  const auto same = cg::labeled_partition(active, key);
  const int whole = (int)(value[i] * 64.0f);
  const int sum = cg::reduce(same, whole, cg::plus<int>());
  if (same.thread_rank() == 0) {
    atomicAdd(sums + key, (float)sum);
    if (same.size() > 4) atomicOr(seen, 1ull << (key * 3));
  }
}
