#include <cstdint>
// Ciphers and digests.
__constant__ uint32_t kSha[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};
__device__ __forceinline__ uint32_t rotr(uint32_t x, int n) { return (x >> n) | (x << (32 - n)); }

__global__ void sha256_rolled(const uint32_t* msg, uint32_t* digest, int blocks, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (int b = 0; b < blocks; ++b) {
    uint32_t w[16];
    for (int j = 0; j < 16; ++j) w[j] = __byte_perm(msg[(i * blocks + b) * 16 + j], 0, 0x0123);
    uint32_t a = h[0], bb = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], hh = h[7];
#pragma unroll 1
    for (int r = 0; r < 64; ++r) {
      if (r >= 16) {
        uint32_t w15 = w[(r + 1) & 15], w2 = w[(r + 14) & 15];
        w[r & 15] += (rotr(w15, 7) ^ rotr(w15, 18) ^ w15 >> 3) + w[(r + 9) & 15] +
                     (rotr(w2, 17) ^ rotr(w2, 19) ^ w2 >> 10);
      }
      uint32_t t1 = hh + (rotr(e, 6) ^ rotr(e, 11) ^ rotr(e, 25)) + ((e & f) ^ (~e & g)) + kSha[r] +
                    w[r & 15];
      uint32_t t2 = (rotr(a, 2) ^ rotr(a, 13) ^ rotr(a, 22)) + ((a & bb) ^ (a & c) ^ (bb & c));
      hh = g;
      g = f;
      f = e;
      e = d + t1;
      d = c;
      c = bb;
      bb = a;
      a = t1 + t2;
    }
    h[0] += a;
    h[1] += bb;
    h[2] += c;
    h[3] += d;
    h[4] += e;
    h[5] += f;
    h[6] += g;
    h[7] += hh;
  }
  for (int j = 0; j < 8; ++j) digest[j * n + i] = h[j];
}

struct Aes {
  uint8_t s[256];
  constexpr Aes() : s{} {
    unsigned p = 1, q = 1;
    do {
      p = (p ^ p << 1 ^ (p & 0x80 ? 0x1b : 0)) & 255;
      q ^= q << 1;
      q ^= q << 2;
      q ^= q << 4;
      q &= 255;
      if (q & 0x80) q ^= 0x09;
      unsigned w = q | q << 8;
      s[p] = ((q ^ w >> 7 ^ w >> 6 ^ w >> 5 ^ w >> 4) & 255) ^ 0x63;
    } while (p != 1);
    s[0] = 0x63;
  }
};
__constant__ constexpr Aes kAes{};

__global__ void aes_shared(const uint4* in, const uint32_t* key, uint4* out, int n) {
  __shared__ uint32_t t0[256];
  __shared__ uint8_t sbox[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    uint32_t s = kAes.s[i], d = (s << 1) ^ (s & 0x80 ? 0x11b : 0);
    sbox[i] = s;
    t0[i] = d | s << 8 | s << 16 | (s ^ d) << 24;
  }
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint4 v = in[i];
    uint32_t a = v.x ^ key[0], b = v.y ^ key[1], c = v.z ^ key[2], d = v.w ^ key[3];
#pragma unroll 1
    for (int r = 1; r < 10; ++r) {
      auto col = [&](uint32_t w, uint32_t x, uint32_t y, uint32_t z, uint32_t k) {
        return t0[w & 255] ^ __funnelshift_l(t0[x >> 8 & 255], t0[x >> 8 & 255], 8) ^
               __funnelshift_l(t0[y >> 16 & 255], t0[y >> 16 & 255], 16) ^
               __funnelshift_l(t0[z >> 24], t0[z >> 24], 24) ^ k;
      };
      uint32_t na = col(a, b, c, d, key[4 * r]), nb = col(b, c, d, a, key[4 * r + 1]),
               nc = col(c, d, a, b, key[4 * r + 2]), nd = col(d, a, b, c, key[4 * r + 3]);
      a = na;
      b = nb;
      c = nc;
      d = nd;
    }
    auto last = [&](uint32_t w, uint32_t x, uint32_t y, uint32_t z) {
      return sbox[w & 255] | sbox[x >> 8 & 255] << 8 | sbox[y >> 16 & 255] << 16 |
             (uint32_t)sbox[z >> 24] << 24;
    };
    out[i] = make_uint4(last(a, b, c, d) ^ key[40], last(b, c, d, a) ^ key[41],
                        last(c, d, a, b) ^ key[42], last(d, a, b, c) ^ key[43]);
  }
}

__global__ void aes_constant(const uint32_t* in, uint32_t* out, int rounds) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t v = in[i];
  for (int r = 0; r < rounds; ++r)
    v = kAes.s[v & 255] << 24 | kAes.s[v >> 8 & 255] << 16 | kAes.s[v >> 16 & 255] << 8 |
        kAes.s[v >> 24];
  out[i] = v;
}

#define QR(a, b, c, d)           \
  a += b;                        \
  d ^= a;                        \
  d = __funnelshift_l(d, d, 16); \
  c += d;                        \
  b ^= c;                        \
  b = __funnelshift_l(b, b, 12); \
  a += b;                        \
  d ^= a;                        \
  d = __funnelshift_l(d, d, 8);  \
  c += d;                        \
  b ^= c;                        \
  b = __funnelshift_l(b, b, 7);
__global__ void chacha20(const uint32_t* key, const uint32_t* nonce, uint8_t* data,
                         unsigned bytes) {
  uint32_t counter = blockIdx.x * blockDim.x + threadIdx.x;
  if (counter * 64 >= bytes) return;
  uint32_t s[16] = {0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}, x[16];
  for (int i = 0; i < 8; ++i) s[4 + i] = key[i];
  s[12] = counter;
  for (int i = 0; i < 3; ++i) s[13 + i] = nonce[i];
#pragma unroll
  for (int i = 0; i < 16; ++i) x[i] = s[i];
  for (int r = 0; r < 10; ++r) {
    QR(x[0], x[4], x[8], x[12])
    QR(x[1], x[5], x[9], x[13]) QR(x[2], x[6], x[10], x[14]) QR(x[3], x[7], x[11], x[15])
        QR(x[0], x[5], x[10], x[15]) QR(x[1], x[6], x[11], x[12]) QR(x[2], x[7], x[8], x[13])
            QR(x[3], x[4], x[9], x[14])
  }
#pragma unroll
  for (int i = 0; i < 16; ++i) x[i] += s[i];
  if (counter * 64 + 64 <= bytes) {
    uint4* p = (uint4*)(data + counter * 64);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      uint4 v = p[i];
      v.x ^= x[4 * i];
      v.y ^= x[4 * i + 1];
      v.z ^= x[4 * i + 2];
      v.w ^= x[4 * i + 3];
      p[i] = v;
    }
  } else
    for (unsigned j = counter * 64; j < bytes; ++j)
      data[j] ^= (uint8_t)(x[(j & 63) >> 2] >> 8 * (j & 3));
}

__global__ void keccak(uint64_t* state, int n) {  // 25 lanes, 24 rounds, all indices dynamic
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t a[25], c[5];
  for (int j = 0; j < 25; ++j) a[j] = state[j * n + i];
  uint8_t lfsr = 1;
#pragma unroll 1
  for (int r = 0; r < 24; ++r) {
    for (int x = 0; x < 5; ++x) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    for (int x = 0; x < 5; ++x) {
      uint64_t d = c[(x + 4) % 5] ^ (c[(x + 1) % 5] << 1 | c[(x + 1) % 5] >> 63);
      for (int y = 0; y < 25; y += 5) a[x + y] ^= d;
    }
    int x = 1, y = 0;
    uint64_t cur = a[1];
#pragma unroll 1
    for (int t = 0; t < 24; ++t) {
      int ny = (2 * x + 3 * y) % 5;
      x = y;
      y = ny;
      int rot = (t + 1) * (t + 2) / 2 % 64;
      uint64_t keep = a[x + 5 * y];
      a[x + 5 * y] = cur << rot | cur >> ((64 - rot) & 63);
      cur = keep;
    }
    for (int y5 = 0; y5 < 25; y5 += 5) {
      for (int k = 0; k < 5; ++k) c[k] = a[y5 + k];
      for (int k = 0; k < 5; ++k) a[y5 + k] = c[k] ^ (~c[(k + 1) % 5] & c[(k + 2) % 5]);
    }
    for (int j = 0; j < 7; ++j) {
      if (lfsr & 1) a[0] ^= 1ull << ((1 << j) - 1);
      lfsr = (lfsr << 1) ^ (lfsr & 0x80 ? 0x71 : 0);
    }
  }
  for (int j = 0; j < 25; ++j) state[j * n + i] = a[j];
}

__global__ void rc4(const uint8_t* keys, uint8_t* out,
                    int len) {  // state of each thread in shared memory, interleaved by 4
  extern __shared__ uint8_t st[];
  int t = threadIdx.x, n = blockDim.x;
  auto S = [&](int i) -> uint8_t& { return st[(i >> 2) * n * 4 + t * 4 + (i & 3)]; };
  for (int i = 0; i < 256; ++i) S(i) = i;
  int j = 0;
  for (int i = 0; i < 256; ++i) {
    j = (j + S(i) + keys[(blockIdx.x * n + t) * 8 + (i & 7)]) & 255;
    uint8_t x = S(i);
    S(i) = S(j);
    S(j) = x;
  }
  j = 0;
  for (int k = 0; k < len; ++k) {
    int i = (k + 1) & 255;
    j = (j + S(i)) & 255;
    uint8_t x = S(i);
    S(i) = S(j);
    S(j) = x;
    out[k * gridDim.x * n + blockIdx.x * n + t] = S((S(i) + S(j)) & 255);
  }
}

__global__ void siphash(const uint64_t* data, uint64_t* out, uint64_t k0, uint64_t k1, int len,
                        int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    uint64_t v0 = k0 ^ 0x736f6d6570736575ull, v1 = k1 ^ 0x646f72616e646f6dull,
             v2 = k0 ^ 0x6c7967656e657261ull, v3 = k1 ^ 0x7465646279746573ull;
    auto round = [&] {
      v0 += v1;
      v1 = v1 << 13 | v1 >> 51;
      v1 ^= v0;
      v0 = v0 << 32 | v0 >> 32;
      v2 += v3;
      v3 = v3 << 16 | v3 >> 48;
      v3 ^= v2;
      v0 += v3;
      v3 = v3 << 21 | v3 >> 43;
      v3 ^= v0;
      v2 += v1;
      v1 = v1 << 17 | v1 >> 47;
      v1 ^= v2;
      v2 = v2 << 32 | v2 >> 32;
    };
    for (int j = 0; j < len - (i & 1); ++j) {
      uint64_t m = data[i * len + j];
      v3 ^= m;
      round();
      round();
      v0 ^= m;
    }
    v2 ^= 0xff;
    round();
    round();
    round();
    round();
    out[i] = v0 ^ v1 ^ v2 ^ v3;
  }
}

__global__ void crc32_sliced(const uint32_t* data, uint32_t* out, int words, int n) {
  __shared__ uint32_t table[4][256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    table[0][i] = c;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    uint32_t c = table[0][i];
    for (int k = 1; k < 4; ++k) {
      c = table[0][c & 255] ^ c >> 8;
      table[k][i] = c;
    }
  }
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t c = ~0u;
  for (int w = 0; w < words; ++w) {
    c ^= data[i * words + w];
    c = table[3][c & 255] ^ table[2][c >> 8 & 255] ^ table[1][c >> 16 & 255] ^ table[0][c >> 24];
  }
  out[i] = ~c;
}
