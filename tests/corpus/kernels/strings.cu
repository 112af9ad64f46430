// Text: searching, counting, parsing, encoding.
#include <cstdint>

__constant__ char kPattern[16] = "abacabad";
__constant__ signed char kFail[9] = {-1, 0, 0, 1, 0, 1, 2, 3, 0};

__device__ inline char letter(uint8_t b, int letters) { return 'a' + b % letters; }

// KMP: every thread its own stretch, with an overlap of the pattern's length.
extern "C" __global__ void kmp(const uint8_t* text, int n, int stretch, int letters, int* hits,
                               int* first) {
  const int m = 8, t = blockIdx.x * blockDim.x + threadIdx.x;
  const int begin = t * stretch, end = min(begin + stretch + m - 1, n);
  if (begin >= n) return;
  int q = 0, found = 0, where = -1;
  for (int i = begin; i < end; ++i) {
    // A text that repeats itself enough for the failure links to be of use.
    const char c = text[i] & 0x30 ? kPattern[(i ^ text[i] >> 7) & 7] : letter(text[i], letters);
    while (q >= 0 && kPattern[q] != c) q = kFail[q];
    if (++q == m) {
      ++found;
      if (where < 0) where = i - m + 1;
      q = kFail[m];
    }
  }
  if (found) atomicAdd(hits, found);
  first[t] = where;
}

// Rabin and Karp, a rolling hash modulo a prime, compared in full when it hits.
extern "C" __global__ void rabin_karp(const uint8_t* text, int n, int m, int needle, int* out,
                                      int rows) {
  const uint64_t P = 1000003ull, B = 257ull;
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= rows) return;
  const int width = n / rows, from = t * width, to = from + width;
  uint64_t want = 0, have = 0, top = 1;
  for (int i = 0; i < m; ++i) want = (want * B + (text[needle + i] & 1)) % P;
  for (int i = 0; i < m - 1; ++i) top = top * B % P;
  int last = -1;
  for (int i = from; i < to; ++i) {
    if (i - from >= m) have = (have + P * B - top * (text[i - m] & 1)) % P;
    have = (have * B + (text[i] & 1)) % P;
    if (i - from + 1 < m || have != want) continue;
    int k = 0;
    while (k < m && (text[i - m + 1 + k] & 1) == (text[needle + k] & 1)) ++k;
    if (k == m) last = i - m + 1;
  }
  out[t] = last;
}

// Code points of UTF-8 by continuation bytes, sixteen bytes a load.
extern "C" __global__ void utf8_count(const uint4* text, int vectors, int* total) {
  const auto starts = [](unsigned w) {
    return __popc(~((w >> 7) & ~(w >> 6)) & 0x01010101u);  // not 10xxxxxx
  };
  int count = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < vectors; i += gridDim.x * blockDim.x) {
    const uint4 v = text[i];
    count += starts(v.x) + starts(v.y) + starts(v.z) + starts(v.w);
  }
  count = __reduce_add_sync(0xffffffffu, count);
  if ((threadIdx.x & 31) == 0) atomicAdd(total, count);
}

// Decodes UTF-8 with all its errors: one thread a record of 24 bytes.
extern "C" __global__ void utf8_decode(const uint8_t* in, unsigned* sums, uint8_t* errors, int n) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  const uint8_t *p = in + t * 24, *const end = p + 24;
  unsigned sum = 0, bad = 0;
  while (p < end) {
    unsigned c = *p++;
    int more;
    if (c < 0x80) {
      more = 0;
    } else if (c < 0xc2) {
      ++bad;
      continue;
    } else if (c < 0xe0) {
      more = 1, c &= 0x1f;
    } else if (c < 0xf0) {
      more = 2, c &= 0x0f;
    } else if (c < 0xf5) {
      more = 3, c &= 0x07;
    } else {
      ++bad;
      continue;
    }
    for (; more > 0 && p < end; --more) {
      if ((*p & 0xc0) != 0x80) break;
      c = c << 6 | (*p++ & 0x3f);
    }
    if (more || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff) {
      ++bad;
    } else {
      sum = sum * 31 + c;
    }
  }
  sums[t] = sum;
  errors[t] = bad;
}

__constant__ char kBase64[65] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

// Three bytes in, four letters out, with '=' at the end.
extern "C" __global__ void base64_encode(const uint8_t* in, char4* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (3 * i >= n) return;
  const int left = n - 3 * i;
  const unsigned b0 = in[3 * i], b1 = left > 1 ? in[3 * i + 1] : 0, b2 = left > 2 ? in[3 * i + 2] : 0;
  const unsigned v = b0 << 16 | b1 << 8 | b2;
  char4 r;
  r.x = kBase64[v >> 18];
  r.y = kBase64[v >> 12 & 63];
  r.z = left > 1 ? kBase64[v >> 6 & 63] : '=';
  r.w = left > 2 ? kBase64[v & 63] : '=';
  out[i] = r;
}

// Base64 back, arithmetic instead of a table; the letters are made on the way in.
__device__ __forceinline__ int sextet(unsigned c) {
  if (c - 'A' < 26u) return c - 'A';
  if (c - 'a' < 26u) return c - 'a' + 26;
  if (c - '0' < 10u) return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}
extern "C" __global__ void base64_decode(const uint8_t* in, uint8_t* out, int quads) {
  __shared__ uint8_t staged[3 * 96];
  const int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  unsigned v = 0;
  if (i < quads) {
#pragma unroll
    for (int k = 0; k < 4; ++k) v = v << 6 | sextet(kBase64[in[4 * i + k] & 63]);
  }
  const unsigned bytes = __byte_perm(v, 0, 0x4012);
  staged[3 * t] = bytes;
  staged[3 * t + 1] = bytes >> 8;
  staged[3 * t + 2] = bytes >> 16;
  __syncthreads();
  const int from = blockIdx.x * blockDim.x * 3, n = min((int)blockDim.x * 3, quads * 3 - from);
  for (int k = t; k < n; k += blockDim.x) out[from + k] = staged[k];
}

// Fields of a CSV line as a machine of states: quotes, signs, digits, fractions, junk.
extern "C" __global__ void csv_numbers(const uint8_t* raw, int* sums, uint8_t* fields, int lines,
                                       int width) {
  __shared__ char alphabet[32];
  if (threadIdx.x < 32) alphabet[threadIdx.x] = "0123456789,,,,--..\"\"  5431x,,,98"[threadIdx.x];
  __syncthreads();
  const int line = blockIdx.x * blockDim.x + threadIdx.x;
  if (line >= lines) return;
  enum State { kStart, kWhole, kFraction, kQuoted, kJunk } state = kStart;
  int sum = 0, value = 0, count = 1;
  bool minus = false;
  for (int i = 0; i < width; ++i) {
    const char c = alphabet[raw[line * width + i] & 31];
    switch (state) {
      case kStart:
        if (c == '-') {
          minus = !minus;
          break;
        }
        if (c == ' ') break;
        if (c == '"') {
          state = kQuoted;
          break;
        }
        // fall through
      case kWhole:
        if (c >= '0' && c <= '9') {
          value = value * 10 + (c - '0');
          state = kWhole;
        } else if (c == '.') {
          state = kFraction;
        } else if (c == ',') {
          goto field;
        } else {
          state = kJunk;
        }
        break;
      case kFraction:
        if (c == ',') goto field;
        if (c < '0' || c > '9') state = kJunk;
        break;
      case kQuoted:
        if (c == '"') state = kJunk;
        break;
      case kJunk:
        if (c == ',') {
          value = 0;
          goto field;
        }
    }
    continue;
  field:
    sum += minus ? -value : value;
    value = 0;
    minus = false;
    state = kStart;
    ++count;
  }
  sums[line] = sum;
  fields[line] = count;
}

// Glob patterns with * and ?, the usual two fingers.
extern "C" __global__ void glob(const uint8_t* text, const uint8_t* patterns, unsigned* matched,
                                int words, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  bool match = false;
  if (i < words) {
    const uint8_t* s = text + i * length;
    const uint8_t* p = patterns + (i & 7) * 5;
    int si = 0, pi = 0, star = -1, mark = 0;
    match = true;
    while (si < length) {
      const int k = pi < 5 ? p[pi] % 5 : 9;  // 0 is '*', 1 is '?'
      if (k == 0) {
        star = pi++;
        mark = si;
      } else if (k == 1 || k - 2 == s[si] % 3) {
        ++pi, ++si;
      } else if (star >= 0) {
        pi = star + 1;
        si = ++mark;
      } else {
        match = false;
        break;
      }
    }
    while (match && pi < 5) {
      if (p[pi] % 5 != 0) match = false;
      ++pi;
    }
  }
  const unsigned votes = __ballot_sync(0xffffffffu, match);
  if ((threadIdx.x & 31) == 0) matched[i / 32] = votes;
}

// Boyer, Moore and Horspool: the shift table in shared memory, one warp a text.
extern "C" __global__ void horspool(const uint8_t* text, const uint8_t* pattern, int* counts, int n,
                                    int m) {
  __shared__ uint8_t shift[256];
  for (int c = threadIdx.x; c < 256; c += blockDim.x) {
    int s = m;
    for (int k = 0; k < m - 1; ++k) {
      if ((pattern[k] & 3) == (c & 3)) s = m - 1 - k;
    }
    shift[c] = s;
  }
  __syncthreads();
  const int lanes = blockDim.x, part = (n + lanes - 1) / lanes;
  int at = threadIdx.x * part, count = 0, steps = 0;
  const int stop = min(at + part, n - m + 1);
  const uint8_t* mine = text + blockIdx.x * n;
  for (; at < stop; at += shift[mine[at + m - 1]], ++steps) {
    int k = m - 1;
    for (; k >= 0; --k) {
      if ((mine[at + k] & 3) != (pattern[k] & 3)) break;
    }
    count += k < 0;
  }
  counts[blockIdx.x * lanes + threadIdx.x] = count << 16 | steps;
}

// Ranks of suffixes by doubling, for a text of the block's size.
extern "C" __global__ void suffix_ranks(const uint8_t* text, int* ranks, int n) {
  extern __shared__ unsigned keys[];  // n keys
  const int i = threadIdx.x;
  int rank = i < n ? text[blockIdx.x * n + i] & 1 : 0;
  for (int h = 1; h < n; h *= 2) {
    if (i < n) keys[i] = rank + 1;
    __syncthreads();
    unsigned key = 0;
    if (i < n) key = (rank + 1) << 16 | (i + h < n ? keys[i + h] : 0);
    __syncthreads();
    if (i < n) keys[i] = key;
    __syncthreads();
    int smaller = 0, same = 0;
    if (i < n) {
      for (int j = 0; j < n; ++j) {
        const unsigned k = keys[j];
        smaller += k < key;
        same += k == key;
      }
    }
    rank = smaller;
    if (!__syncthreads_or(same > 1)) break;
  }
  if (i < n) ranks[blockIdx.x * n + i] = rank;
}
