// Compression and layouts: bit packing, varints, Huffman, LZ, deltas, records that fit badly.
#include <cstdint>
#include <cstring>

// 32 values of WIDTH bits to WIDTH words, a value a lane; words through ballots.
template <int WIDTH>
__global__ void pack_by_ballot(const uint32_t* in, uint32_t* out, int groups) {
  const int group = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  if (group >= groups) return;
  const uint32_t v = in[group * 32 + lane];
  uint32_t mine = 0;
#pragma unroll
  for (int b = 0; b < WIDTH; ++b) {
    const uint32_t plane = __ballot_sync(0xffffffffu, v >> b & 1);
    if (lane == b) mine = plane;
  }
  if (lane < WIDTH) out[group * WIDTH + lane] = mine;
}

// Values of any width up to 32 that lie one after the other.
extern "C" __global__ void unpack_bits(const uint32_t* __restrict__ words, uint32_t* out, int n,
                                       int width) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned bit = i * width, word = bit >> 5;
    const uint32_t low = words[word];
    const uint32_t high = (bit & 31) + width > 32 ? words[word + 1] : 0;
    const uint32_t v = __funnelshift_r(low, high, bit);
    out[i] = width < 32 ? v & ((1u << width) - 1) : v;
  }
}

// Frame of reference: per block of 128 the minimum, and the bits that the rest needs.
extern "C" __global__ void frame_of_reference(const int* in, int* base, uint8_t* bits, uint16_t* rest) {
  __shared__ int least[4], most[4];
  const int t = threadIdx.x, i = blockIdx.x * 128 + t;
  const int v = in[i] >> (16 + 2 * (blockIdx.x & 3));
  const int low = __reduce_min_sync(~0u, v), high = __reduce_max_sync(~0u, v);
  if ((t & 31) == 0) least[t / 32] = low, most[t / 32] = high;
  __syncthreads();
  const int b = min(min(least[0], least[1]), min(least[2], least[3]));
  const int m = max(max(most[0], most[1]), max(most[2], most[3]));
  rest[i] = v - b;
  if (t == 0) base[blockIdx.x] = b, bits[blockIdx.x] = m == b ? 0 : 32 - __clz(m - b);
}

// LEB128: one thread a record; as long as the top bit says.
extern "C" __global__ void varint_decode(const uint8_t* in, uint64_t* sums, uint8_t* counts,
                                         int records, int bytes) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= records) return;
  const uint8_t* p = in + t * bytes;
  const uint8_t* const end = p + bytes;
  uint64_t sum = 0;
  int count = 0;
  while (p != end) {
    uint64_t v = 0;
    int shift = 0;
    uint8_t b;
    do {
      b = *p++;
      v |= (uint64_t)(b & 127) << shift;
      shift += 7;
    } while (b & 128 && p != end && shift < 63);
    sum += (v >> 1) ^ -(v & 1);  // zigzag
    ++count;
  }
  sums[t] = sum;
  counts[t] = count;
}

// Varints the other way: lengths, a scan in the warp, bytes where they belong.
extern "C" __global__ void varint_encode(const uint32_t* in, uint8_t* out, int* lengths) {
  const int lane = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y;
  uint32_t v = in[row * 32 + lane];
  v >>= v & 31;
  const int length = v ? (38 - __clz(v)) / 7 : 1;
  int at = length;
  for (int o = 1; o < 32; o += o) {
    const int k = __shfl_up_sync(~0u, at, o);
    if (lane >= o) at += k;
  }
  if (lane == 31) lengths[row] = at;
  uint8_t* p = out + row * 160 + at - length;
  while (v > 127) {
    *p++ = v | 128;
    v >>= 7;
  }
  *p = v;
}

// Canonical Huffman, decoded bit by bit: six lengths, first codes and offsets by constants.
__constant__ uint16_t kFirst[8] = {0, 0, 0, 4, 12, 28, 60, 124}, kMany[8] = {0, 0, 2, 2, 2, 2, 2, 4};
__constant__ uint16_t kOffset[8] = {0, 0, 0, 2, 4, 6, 8, 10};
extern "C" __global__ void huffman_decode(const uint32_t* bits, uint8_t* symbols, int* used, int words,
                                          int most) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const uint32_t* mine = bits + t * words;
  uint64_t window = (uint64_t)mine[0] << 32 | mine[1];
  int next = 2, have = 64, n = 0;
  while (n < most) {
    unsigned code = 0;
    int length = 0, symbol = -1;
    while (symbol < 0 && length < 7) {
      if (have == 0) goto dry;
      code = code << 1 | (unsigned)(window >> 63);
      window <<= 1;
      --have;
      ++length;
      if (code - kFirst[length] < kMany[length]) symbol = kOffset[length] + code - kFirst[length];
    }
    symbols[t * most + n++] = symbol < 0 ? 255 : symbol;
    if (have <= 32 && next < words) {
      window |= (uint64_t)mine[next++] << (32 - have);
      have += 32;
    }
  }
dry:
  used[t] = n << 16 | next;
}

// A small LZ: literals and matches that may overlap themselves, a warp each stream.
extern "C" __global__ void lz_expand(const uint16_t* tokens, uint8_t* out, int* sizes, int count,
                                     int capacity) {
  const int lane = threadIdx.x, stream = blockIdx.x * blockDim.y + threadIdx.y;
  __shared__ uint8_t window[3][512];
  uint8_t* const w = window[threadIdx.y];
  int size = 0;
  for (int i = 0; i < count; ++i) {
    const unsigned token = tokens[stream * count + i];
    const int length = (token & 31) + 3, distance = (token >> 5 & 127) + 1;
    if (size + length > capacity) break;
    if (token >> 14 == 0 || distance > size) {
      for (int k = lane; k < length; k += 32) w[size + k] = token * (k + 1) >> 3;
    } else {
      for (int k = lane; k < length; k += 32) {
        const uint8_t v = w[size - distance + k % distance];
        w[size + k] = v;
      }
    }
    size += length;
    __syncwarp();
  }
  for (int k = lane; k < size; k += 32) out[stream * capacity + k] = w[k];
  if (lane == 0) sizes[stream] = size;
}

// The same by one thread each, through local memory, byte for byte.
extern "C" __global__ void lz_serial(const uint16_t* tokens, uint32_t* sums, int count) {
  const int stream = blockIdx.x * blockDim.x + threadIdx.x;
  uint8_t w[128];
  int size = 0;
  for (int i = 0; i < count; ++i) {
    const unsigned token = tokens[stream * count + i];
    if (token & 1) {
      if (size == 128) break;
      w[size++] = token >> 8;
      continue;
    }
    int length = 2 + (token >> 1 & 7);
    const int distance = 1 + (token >> 8) % 50;
    if (distance > size) continue;
    while (length-- && size < 128) {
      w[size] = w[size - distance];
      ++size;
    }
  }
  uint32_t a = 1, b = 0;  // Adler's sum
  for (int k = 0; k < size; ++k) {
    a = (a + w[k]) % 65521;
    b = (b + a) % 65521;
  }
  sums[stream] = b << 16 | a;
}

// Run lengths back to values: every output looks for its run in a shared table of sums.
extern "C" __global__ void rle_expand(const uint8_t* lengths, const uint16_t* values, uint16_t* out,
                                      int* total, int runs, int capacity) {
  extern __shared__ int ends[];
  const int t = threadIdx.x;
  int v = t < runs ? lengths[blockIdx.x * runs + t] & 15 : 0;
  ends[t] = v;
  for (int o = 1; o < (int)blockDim.x; o <<= 1) {
    __syncthreads();
    const int left = t >= o ? ends[t - o] : 0;
    __syncthreads();
    ends[t] = v += left;
  }
  __syncthreads();
  const int all = min(ends[blockDim.x - 1], capacity);
  for (int i = t; i < all; i += blockDim.x) {
    int low = 0, high = runs - 1;
    while (low < high) {
      const int mid = (low + high) >> 1;
      if (ends[mid] > i) high = mid;
      else low = mid + 1;
    }
    out[blockIdx.x * capacity + i] = values[blockIdx.x * runs + low];
  }
  if (t == 0) total[blockIdx.x] = all;
}

// A record of seven bytes, one of bit fields, one of twelve and a half words.
#pragma pack(push, 1)
struct Tick {
  uint8_t kind;
  uint16_t price;
  uint32_t volume;
};
#pragma pack(pop)
struct Date {
  unsigned day : 5, month : 4, year : 12;
  int offset : 7;
  bool leap : 1;
};
struct Row {
  char name[11];
  short level;
  double weight;
  Date when;
};
extern "C" __global__ void records(const uint8_t* raw, Row* rows, uint32_t* keys, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Tick tick;
  memcpy(&tick, raw + 7 * i, 7);
  Row r;
  for (int k = 0; k < 11; ++k) r.name[k] = 'a' + (tick.volume >> (k & 15)) % 26;
  r.level = (short)tick.price;
  r.weight = tick.volume / 3.0;
  r.when.day = tick.volume % 31 + 1;
  r.when.month = tick.kind % 12 + 1;
  r.when.year = 1970 + tick.price % 80;
  r.when.offset = (int8_t)tick.kind;
  r.when.leap = r.when.year % 4 == 0;
  if (r.when.month == 2 && r.when.day > 28u + r.when.leap) r.when.day = 28u + r.when.leap;
  const unsigned at = (r.when.year * 12 + r.when.month) * 32 + r.when.day;
  keys[i] = r.level < 0 ? at - r.when.offset : at + r.when.offset;
  rows[i] = r;
}

// Sets as bitmaps with counts per 64: rank and select.
extern "C" __global__ void rank_select(const uint64_t* bits, const uint32_t* queries, int* ranks,
                                       int* selected, int words, int n) {
  __shared__ int before[129];
  const int t = threadIdx.x;
  if (t == 0) before[0] = 0;
  if (t < words) before[t + 1] = __popcll(bits[t]);
  __syncthreads();
  if (t == 0) {
    for (int w = 0; w < words; ++w) before[w + 1] += before[w];
  }
  __syncthreads();
  for (int q = blockIdx.x * blockDim.x + t; q < n; q += gridDim.x * blockDim.x) {
    const unsigned at = queries[q] % (words * 64);
    ranks[q] = before[at / 64] + __popcll(bits[at / 64] & ((1ull << at % 64) - 1));
    const int want = queries[q] / 7 % before[words];
    int w = 0;
#pragma unroll
    for (int step = 64; step; step >>= 1) {
      if (w + step <= words && before[w + step] <= want) w += step;
    }
    uint64_t word = bits[w];
    for (int skip = want - before[w]; skip > 0; --skip) word &= word - 1;
    selected[q] = w * 64 + __ffsll(word) - 1;
  }
}
