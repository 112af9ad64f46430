// String processing.
__constant__ char kPattern[12] = {1, 2, 1, 2, 0, 1, 2, 1, 2, 3, 0, 0};

__global__ void kmp(const unsigned char* text, int* hits, int len, int pattern_len, int n) {
  __shared__ signed char fail[16];
  if (threadIdx.x == 0) {
    fail[0] = 0;
    for (int i = 1, k = 0; i < pattern_len; ++i) {
      while (k && kPattern[k] != kPattern[i]) k = fail[k - 1];
      if (kPattern[k] == kPattern[i]) ++k;
      fail[i] = k;
    }
  }
  __syncthreads();
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  int k = 0, found = 0;
  for (int i = 0; i < len; ++i) {
    int c = text[row * len + i] & 3;
    while (k && kPattern[k] != c) k = fail[k - 1];
    if (kPattern[k] == c) ++k;
    if (k == pattern_len) {
      ++found;
      k = fail[k - 1];
    }
  }
  hits[row] = found;
}

// Glob with * and ?, backtracking by goto
__global__ void glob(const unsigned char* text, const unsigned char* pats, unsigned* matched,
                     int len, int plen, int n) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  bool ok = false;
  if (row < n) {
    const unsigned char *s = text + row * len, *p = pats + (row & 7) * plen;
    int i = 0, j = 0, star = -1, mark = 0;
  again:
    if (i < len) {
      int c = j < plen ? p[j] % 6 : -1;
      if (c == 4 || c == (s[i] & 3)) {
        ++i;
        ++j;
        goto again;
      }
      if (c == 5) {
        star = j++;
        mark = i;
        goto again;
      }
      if (star >= 0) {
        j = star + 1;
        i = ++mark;
        goto again;
      }
      goto done;
    }
    while (j < plen && p[j] % 6 == 5) ++j;
    ok = j == plen;
  done:;
  }
  unsigned b = __ballot_sync(~0u, ok);
  if ((threadIdx.x & 31) == 0) matched[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = b;
}

__device__ int utf8_step(int state, unsigned char c) {
  switch (state) {
    case 0:
      if (c < 0x80) return 0;
      if (c < 0xc2) return 8;
      if (c < 0xe0) return 1;
      if (c == 0xe0) return 4;
      if (c < 0xf0) return 2;
      if (c == 0xf0) return 5;
      if (c < 0xf4) return 3;
      return c == 0xf4 ? 6 : 8;
    case 1:
      return (c & 0xc0) == 0x80 ? 0 : 8;
    case 2:
      return (c & 0xc0) == 0x80 ? 1 : 8;
    case 3:
      return (c & 0xc0) == 0x80 ? 2 : 8;
    case 4:
      return c >= 0xa0 && c < 0xc0 ? 1 : 8;
    case 5:
      return c >= 0x90 && c < 0xc0 ? 2 : 8;
    case 6:
      return c >= 0x80 && c < 0x90 ? 2 : 8;
    case 7:
      return 0;
    default:
      return 8;
  }
}
__global__ void utf8_validate(const unsigned char* bytes, int* bad_at, int chunk, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i * chunk >= n) return;
  int state = 0, at = -1, j = i * chunk, end = min(n, j + chunk);
  for (; j < end; ++j) {
    state = utf8_step(state, bytes[j]);
    if (state == 8) {
      if (at < 0) at = j;
      state = 0;
      if (j & 1) continue;
      if (at + 20 < j) break;
    }
  }
  bad_at[i] = at;
}

__global__ void csv_fields(const unsigned char* bytes, int* fields, int* rows, int chunk, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, f = 0, r = 0;
  bool quoted = false;
  for (int j = i * chunk; j < n && j < (i + 1) * chunk; ++j) {
    switch (bytes[j] & 15) {
      case 0:
        if (!quoted) ++f;
        break;
      case 1:
        quoted = !quoted;
        break;
      case 2:
        if (!quoted) {
          ++r;
          ++f;
        }
        break;
      case 3:
      case 4:
        if (quoted && ++j < n && (bytes[j] & 15) == 1) continue;
        break;
      default:
        break;
    }
  }
  f = __reduce_add_sync(~0u, f);
  r = __reduce_add_sync(~0u, r);
  if ((threadIdx.x & 31) == 0) {
    atomicAdd(fields, f);
    atomicAdd(rows, r);
  }
}

__global__ void base64_encode(const unsigned char* in, unsigned* out, int triples) {
  __shared__ char alphabet[64];
  if (threadIdx.x < 64) {
    int c = threadIdx.x;
    alphabet[c] = c < 26    ? 'A' + c
                  : c < 52  ? 'a' + c - 26
                  : c < 62  ? '0' + c - 52
                  : c == 62 ? '+'
                            : '/';
  }
  __syncthreads();
  for (int t = blockIdx.x * blockDim.x + threadIdx.x; t < triples; t += gridDim.x * blockDim.x) {
    unsigned v = in[3 * t] << 16 | in[3 * t + 1] << 8 | in[3 * t + 2];
    char4 q = make_char4(alphabet[v >> 18], alphabet[(v >> 12) & 63], alphabet[(v >> 6) & 63],
                         alphabet[v & 63]);
    reinterpret_cast<char4*>(out)[t] = q;
  }
}

__global__ void itoa(const int* in, char* text, int* length, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  char tmp[12];
  int v = in[i] >> (i % 31), k = 0;
  unsigned u = v < 0 ? 0u - v : v;
  do {
    tmp[k++] = '0' + u % 10;
    u /= 10;
  } while (u);
  if (v < 0) tmp[k++] = '-';
  for (int j = 0; j < k; ++j) text[i * 12 + j] = tmp[k - 1 - j];
  length[i] = k;
}

__global__ void rolling_hash(const unsigned char* text, unsigned* count, int len, int window,
                             unsigned want) {
  extern __shared__ unsigned char tile[];
  int base = blockIdx.x * blockDim.x;
  for (int j = threadIdx.x; j < blockDim.x + window; j += blockDim.x)
    tile[j] = base + j < len ? text[base + j] : 0;
  __syncthreads();
  unsigned h = 0;
#pragma unroll 4
  for (int j = 0; j < window; ++j) h = h * 131 + tile[threadIdx.x + j];
  bool hit = (h & 63) == want && base + threadIdx.x + window <= len;
  int c = __syncthreads_count(hit);
  if (threadIdx.x == 0) count[blockIdx.x] = c;
}

__global__ void horspool(const unsigned char* text, int* first, int len, int rows) {
  __shared__ unsigned char skip[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) skip[i] = 6;
  __syncthreads();
  if (threadIdx.x < 5) skip[threadIdx.x * 3] = 5 - threadIdx.x;
  __syncthreads();
  int r = blockIdx.x * blockDim.x + threadIdx.x;
  if (r >= rows) return;
  const unsigned char* t = text + r * len;
  int at = 0, where = -1;
  while (at + 6 <= len) {
    int k = 5;
    while (k >= 0 && (t[at + k] & 1) == (k & 1)) --k;
    if (k < 0) {
      where = at;
      break;
    }
    at += skip[t[at + 5] & 15];
  }
  first[r] = where;
}
