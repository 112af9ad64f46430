// Compression.
__global__ void rle_encode(const unsigned char* in, unsigned char* value, unsigned short* length,
                           int* runs, int n) {
  extern __shared__ int flags[];  // one block, n <= 4 * blockDim
  int t = threadIdx.x, per = (n + blockDim.x - 1) / blockDim.x, lo = min(n, t * per),
      hi = min(n, lo + per), heads = 0;
  for (int i = lo; i < hi; ++i) heads += i == 0 || (in[i] & 1) != (in[i - 1] & 1);
  flags[t] = heads;
  __syncthreads();
  for (int o = 1; o < blockDim.x; o <<= 1) {
    int v = t >= o ? flags[t - o] : 0;
    __syncthreads();
    flags[t] += v;
    __syncthreads();
  }
  int at = flags[t] - heads;
  for (int i = lo; i < hi; ++i)
    if (i == 0 || (in[i] & 1) != (in[i - 1] & 1)) {
      int len = 1;
      while (i + len < n && (in[i + len] & 1) == (in[i] & 1)) ++len;
      value[at] = in[i] & 1;
      length[at] = len;
      ++at;
    }
  if (t == blockDim.x - 1) *runs = flags[t];
}
// canonical prefix code: 0xxx, 10xxxx, 110xxxxx, 111xxxxxxxx
__global__ void prefix_decode(const unsigned* bits, unsigned char* out, int* produced, int words,
                              int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned* p = bits + i * words;
  unsigned long long window = (unsigned long long)p[0] << 32 | p[1];
  int have = 64, next = 2, made = 0;
  while (have >= 11) {
    unsigned top = (unsigned)(window >> 32);
    int lead = __clz(~top), len, sym;
    switch (lead) {
      case 0:
        len = 4;
        sym = top >> 28 & 7;
        break;
      case 1:
        len = 6;
        sym = 8 + (top >> 26 & 15);
        break;
      case 2:
        len = 8;
        sym = 24 + (top >> 24 & 31);
        break;
      default:
        len = 11;
        sym = 56 + (top >> 21 & 255);
        break;
    }
    out[i * 16 * words / 2 + made % (8 * words)] = sym;
    ++made;
    window <<= len;
    have -= len;
    if (have <= 32 && next < words) {
      window |= (unsigned long long)p[next++] << (32 - have);
      have += 32;
    }
  }
  produced[i] = made;
}
__global__ void delta_varint(const unsigned* in, unsigned char* out, int* bytes, int n) {
  __shared__ int base;
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  __shared__ int totals[32];
  unsigned d = i < n ? (in[i] >> (in[i] & 31)) - (i ? (in[i - 1] >> 20) : 0) : 0;
  d = d << 1 ^ (unsigned)((int)d >> 31);
  int len = i < n ? max(1, (38 - __clz(d)) / 7) : 0, s = len;
  for (int o = 1; o < 32; o <<= 1) {
    int v = __shfl_up_sync(~0u, s, o);
    if (lane >= o) s += v;
  }
  if (lane == 31) totals[warp] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    int t = 0;
    for (int w = 0; w < (blockDim.x + 31) / 32; ++w) {
      int x = totals[w];
      totals[w] = t;
      t += x;
    }
    base = t;
    bytes[blockIdx.x] = t;
  }
  __syncthreads();
  int at = blockIdx.x * blockDim.x * 5 + totals[warp] + s - len;
  for (int k = 0; k < len; ++k, d >>= 7) out[at + k] = (d & 127) | (k + 1 < len ? 128 : 0);
  if (threadIdx.x < 4) out[blockIdx.x * blockDim.x * 5 + base + threadIdx.x] = 0;
}
__global__ void lz_expand(const unsigned* tokens, unsigned char* out, int count,
                          int room) {  // a warp per stream: literals and back references
  int w = (blockIdx.x * blockDim.x + threadIdx.x) >> 5, lane = threadIdx.x & 31;
  unsigned char* o = out + w * room;
  int at = 0;
  for (int t = 0; t < count; ++t) {
    unsigned k = tokens[w * count + t];
    int len = (k & 31) + 1;
    if (at + len > room) break;
    if (k & 0x100 || at < 8) {
      if (lane < len) o[at + lane] = (k >> 12) + lane;
    } else {
      int back = 1 + (k >> 16) % min(at, 60);
      unsigned char c = lane < len ? o[at - back + lane % back] : 0;
      __syncwarp();
      if (lane < len) o[at + lane] = c;
    }
    at += len;
    __syncwarp();
  }
  for (int j = at + lane; j < room; j += 32) o[j] = 0xee;
}
template <int BITS>
__global__ void bit_pack(const unsigned* in, unsigned* out, int n) {
  for (int w = blockIdx.x * blockDim.x + threadIdx.x; w < (n * BITS + 31) / 32;
       w += gridDim.x * blockDim.x) {
    unsigned v = 0;
    int first = w * 32 / BITS;
    for (int e = first; e < n && e * BITS < w * 32 + 32; ++e) {
      int s = e * BITS - w * 32;
      unsigned x = in[e] & ((1u << BITS) - 1);
      v |= s >= 0 ? x << s : x >> -s;
    }
    out[w] = v;
  }
}
__global__ void move_to_front(const unsigned char* in, unsigned char* out, int len, int n) {
  __shared__ unsigned char order[64][33];
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  for (int k = 0; k < 32; ++k) order[t][k] = k;
  if (i >= n) return;
  for (int j = 0; j < len; ++j) {
    unsigned char c = in[i * len + j] & 31, prev = order[t][0];
    int k = 0;
    while (prev != c) {
      unsigned char x = order[t][++k];
      order[t][k] = prev;
      prev = x;
    }
    order[t][0] = c;
    out[i * len + j] = k;
  }
}
__global__ void morton(const unsigned* x, const unsigned* y, unsigned long long* code,
                       unsigned* back) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  auto spread = [](unsigned v) {
    unsigned long long r = v;
    r = (r | r << 16) & 0x0000ffff0000ffffull;
    r = (r | r << 8) & 0x00ff00ff00ff00ffull;
    r = (r | r << 4) & 0x0f0f0f0f0f0f0f0full;
    r = (r | r << 2) & 0x3333333333333333ull;
    return (r | r << 1) & 0x5555555555555555ull;
  };
  unsigned long long c = spread(x[i]) | spread(y[i]) << 1;
  code[i] = c;
  unsigned h = 0;
  for (int b = 0; b < 20; ++b) {
    unsigned q = c >> (2 * b) & 3;
    h += (q == 3 ? 2 : q ^ (h & 1)) << (b & 7);
  }
  back[i] = h;
}
