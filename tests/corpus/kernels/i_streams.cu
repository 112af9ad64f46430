// decoders, readers of bits, text
typedef unsigned u32; typedef unsigned long long u64; typedef unsigned char u8; typedef unsigned short u16;

// makes an LZ-like stream from random bytes, then decodes: literal runs and overlapping matches
__global__ void lz(const u8* __restrict__ noise, u8* out, int* sizes, int per, int cap, int streams)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= streams) return;
  const u8* p = noise + t * per; u8* o = out + t * cap; int at = 0, end = per;
  while (p < noise + t * per + end && at < cap) {
    u8 token = *p++; int lits = token >> 5, len = (token & 15) + 2;
    for (int i = 0; i < lits && at < cap && p < noise + t * per + end; ++i) o[at++] = *p++;
    if (p >= noise + t * per + end || at >= cap) break;
    int back = (*p++ & 31) + 1;
    if (back > at) { if (at == 0) continue; back = at; }
    if (token & 16) len += 8;
    do { o[at] = o[at - back]; ++at; } while (--len && at < cap);
  }
  sizes[t] = at;
}

// canonical Huffman with a bit reader
__constant__ u8 lengths_[16] = {2, 3, 3, 3, 4, 4, 5, 5, 6, 6, 6, 6, 7, 7, 7, 7};
template<typename W> __global__ void huffman(const W* __restrict__ bits, u8* symbols, int words, int count, int streams)
{
  __shared__ u16 first[9], base[9], limit[9];
  if (threadIdx.x == 0) { u32 code = 0; int k = 0; for (int l = 1; l <= 8; ++l) { first[l] = code; base[l] = k; int c = 0; for (int i = 0; i < 16; ++i) c += lengths_[i] == l; limit[l] = code + c; code = (code + c) << 1; k += c; } }
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= streams) return;
  const W* p = bits + t * words; u64 hold = 0; int have = 0, used = 0;
  for (int n = 0; n < count; ++n) {
    while (have < 16) { hold = hold << (8 * sizeof(W)) | (used < words ? p[used] : 0); ++used; have += 8 * sizeof(W); if (sizeof(W) == 4 && have > 40) break; }
    u32 code = 0; int l = 0; u8 s = 255;
    do { code = code << 1 | (u32)(hold >> --have & 1); ++l; if (code < limit[l]) { s = base[l] + code - first[l]; break; } } while (l < 8);
    symbols[n * streams + t] = s;
    if (used > words + 2) break;
  }
}

// UTF-8 validating decoder
extern "C" __global__ void utf8(const u8* __restrict__ in, u32* points, int* errors, int n, int per)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x, from = t * per, to = min(from + per, n), bad = 0; u32 sum = 0;
  if (from >= n) return;
  for (int i = from; i < to;) {
    u8 b = in[i++];
    u32 cp; int more;
    if (b < 0x80) { cp = b; more = 0; } else if ((b & 0xe0) == 0xc0) { cp = b & 31; more = 1; } else if ((b & 0xf0) == 0xe0) { cp = b & 15; more = 2; }
    else if ((b & 0xf8) == 0xf0) { cp = b & 7; more = 3; } else { ++bad; continue; }
    int need = more;
    while (need && i < to && (in[i] & 0xc0) == 0x80) { cp = cp << 6 | (in[i] & 0x3f); ++i; --need; }
    if (need) { ++bad; continue; }
    if ((more == 1 && cp < 0x80) || (more == 2 && (cp < 0x800 || (cp >= 0xd800 && cp < 0xe000))) || (more == 3 && (cp < 0x10000 || cp > 0x10ffff))) { ++bad; sum ^= 0xfffd; }
    else sum = sum * 31 + cp;
  }
  points[t] = sum; errors[t] = bad;
}

// Knuth-Morris-Pratt over a small alphabet; failure table in shared
extern "C" __global__ void kmp(const u8* __restrict__ text, const u8* __restrict__ pattern, u16* hits, int n, int m, int per, u8 letters)
{
  __shared__ u8 pat[32]; __shared__ signed char fail[33];
  if (threadIdx.x < m) pat[threadIdx.x] = pattern[threadIdx.x] % letters;
  __syncthreads();
  if (threadIdx.x == 0) { int k = -1; fail[0] = -1; for (int i = 0; i < m; ++i) { while (k >= 0 && pat[k] != pat[i]) k = fail[k]; fail[i + 1] = ++k; } }
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x, from = t * per, to = min(n, from + per + m - 1), k = 0, c = 0;
  if (from >= n) return;
  for (int i = from; i < to; ++i) {
    u8 ch = text[i] % letters;
    while (k >= 0 && pat[k] != ch) k = fail[k];
    if (++k == m) { ++c; k = fail[k]; }
  }
  hits[t] = c;
}

// base64 coding of 3-byte groups into u8x4 with a switch on the tail
__device__ __noinline__ u8 b64(u32 v) { if (v < 26) return 'A' + v; if (v < 52) return 'a' + v - 26; if (v < 62) return '0' + v - 52; return v == 62 ? '+' : '/'; }
extern "C" __global__ void base64(const u8* __restrict__ in, uchar4* out, int n)
{
  int g = blockIdx.x * blockDim.x + threadIdx.x;
  if (g * 3 >= n) return;
  u32 v = in[g * 3] << 16; int left = n - g * 3;
  uchar4 o = {'=', '=', '=', '='};
  switch (left) {
    default: v |= in[g * 3 + 2]; o.w = b64(v & 63);
    case 2: v |= in[g * 3 + 1] << 8; o.z = b64(v >> 6 & 63);
    case 1: o.x = b64(v >> 18); o.y = b64(v >> 12 & 63);
  }
  out[g] = o;
}

// decimal printing of 64-bit signed numbers, u8 stores
extern "C" __global__ void print_i64(const long long* __restrict__ in, u8* out, int n, int width)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  long long v = in[t] >> (t % 60); bool neg = v < 0; u64 u = neg ? 0 - (u64)v : v; u8* p = out + t * width; int at = width;
  do { p[--at] = '0' + u % 10; u /= 10; } while (u && at > 0);
  if (neg && at) p[--at] = '-';
  while (at > 0) p[--at] = ' ';
}

// run-length decoding with a warp per row: lengths scanned by shuffles, output by binary search
extern "C" __global__ void runs(const u8* __restrict__ lens, const u8* __restrict__ vals, u16* out, int* total, int rows, int cap)
{
  __shared__ int ends[4][32];
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, row = blockIdx.x * 4 + warp;
  if (row >= rows) return;
  int l = lens[row * 32 + lane] & 15;
  for (int d = 1; d < 32; d *= 2) { int o = __shfl_up_sync(~0u, l, d); if (lane >= d) l += o; }
  ends[warp][lane] = l; __syncwarp();
  int n = __shfl_sync(~0u, l, 31); if (n > cap) n = cap;
  for (int i = lane; i < n; i += 32) {
    int lo = 0, hi = 31; while (lo < hi) { int mid = (lo + hi) / 2; if (ends[warp][mid] > i) hi = mid; else lo = mid + 1; }
    out[row * cap + i] = vals[row * 32 + lo] * 257;
  }
  if (lane == 0) total[row] = n;
}
