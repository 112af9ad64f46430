// Checksums, hashes, ciphers and the arithmetic of big numbers.
#include <cstdint>
#define ROTL(x, n) (((x) << (n)) | ((x) >> (32 - (n))))
#define ROTR(x, n) (((x) >> (n)) | ((x) << (32 - (n))))

// CRC-32: the table made by the block, slices folded by multiplication in GF(2).
__device__ uint32_t gf2_multiply(uint32_t a, uint32_t b) {
  uint32_t p = 0;
  for (uint32_t m = 1u << 31;; m >>= 1) {
    if (a & m) {
      p ^= b;
      if ((a & (m - 1)) == 0) break;
    }
    b = b & 1 ? b >> 1 ^ 0xedb88320u : b >> 1;
  }
  return p;
}
extern "C" __global__ void crc32_slices(const uint8_t* data, uint32_t* out, int length) {
  __shared__ uint32_t table[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    uint32_t c = i;
    for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
    table[i] = c;
  }
  __syncthreads();
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const uint8_t* p = data + t * length;
  uint32_t crc = ~0u;
  for (int i = 0; i < length; ++i) crc = table[(crc ^ p[i]) & 255] ^ crc >> 8;
  out[t] = gf2_multiply(~crc, 0x80000000u >> (threadIdx.x % 5));
}

__constant__ uint32_t kSha[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// SHA-256 of messages of length bytes, padding included, any length.
extern "C" __global__ void sha256(const uint8_t* messages, uint32_t* digests, int count, int length) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= count) return;
  const uint8_t* m = messages + t * length;
  uint32_t h[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                   0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  const int blocks = (length + 9 + 63) / 64;
  for (int b = 0; b < blocks; ++b) {
    uint32_t w[16];
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      uint32_t v = 0;
      for (int k = 0; k < 4; ++k) {
        const int at = b * 64 + i * 4 + k;
        v = v << 8 | (at < length ? m[at] : at == length ? 0x80 : 0);
      }
      w[i] = v;
    }
    if (b == blocks - 1) w[15] = length * 8;
    uint32_t a = h[0], bb = h[1], c = h[2], d = h[3], e = h[4], f = h[5], g = h[6], hh = h[7];
#pragma unroll 16
    for (int i = 0; i < 64; ++i) {
      if (i >= 16) {
        const uint32_t x = w[(i + 1) & 15], y = w[(i + 14) & 15];
        w[i & 15] += w[(i + 9) & 15] + (ROTR(x, 7) ^ ROTR(x, 18) ^ x >> 3) +
                     (ROTR(y, 17) ^ ROTR(y, 19) ^ y >> 10);
      }
      const uint32_t t1 = hh + (ROTR(e, 6) ^ ROTR(e, 11) ^ ROTR(e, 25)) + ((e & f) ^ (~e & g)) +
                          kSha[i] + w[i & 15];
      const uint32_t t2 = (ROTR(a, 2) ^ ROTR(a, 13) ^ ROTR(a, 22)) + ((a & bb) ^ (a & c) ^ (bb & c));
      hh = g, g = f, f = e, e = d + t1, d = c, c = bb, bb = a, a = t1 + t2;
    }
    h[0] += a, h[1] += bb, h[2] += c, h[3] += d, h[4] += e, h[5] += f, h[6] += g, h[7] += hh;
  }
#pragma unroll
  for (int i = 0; i < 8; ++i) digests[i * count + t] = h[i];
}

// MD5 of one word messages, by the four functions and a computed table; a search for low digests.
extern "C" __global__ void md5_search(unsigned first, unsigned mask, unsigned* found, int* hits) {
  __shared__ uint32_t table[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) {
    table[i] = (uint32_t)(long long)(fabs(sin((double)(i + 1))) * 4294967296.0);
  }
  __syncthreads();
  const unsigned nonce = first + blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t a = 0x67452301, b = 0xefcdab89, c = 0x98badcfe, d = 0x10325476;
  for (int i = 0; i < 64; ++i) {
    uint32_t f;
    int g, s;
    switch (i >> 4) {
      case 0: f = (b & c) | (~b & d), g = i, s = 0x16110c07; break;
      case 1: f = (d & b) | (~d & c), g = 5 * i + 1, s = 0x140e0905; break;
      case 2: f = b ^ c ^ d, g = 3 * i + 5, s = 0x17100b04; break;
      default: f = c ^ (b | ~d), g = 7 * i, s = 0x150f0a06;
    }
    g &= 15;
    const uint32_t word = g == 0 ? nonce : g == 1 ? 0x80 : g == 14 ? 32 : 0;
    f += a + table[i] + word;
    a = d, d = c, c = b;
    b += __funnelshift_l(f, f, s >> (i & 3) * 8);
  }
  a += 0x67452301;
  if ((a & mask) == 0) {
    atomicAdd(hits, 1);
    atomicMin(found, nonce);
  }
}

// AES-128: the S-box is computed, the rounds go through it and xtime; 16 bytes a thread.
__device__ __forceinline__ uint8_t xtime(uint8_t x) { return x << 1 ^ (x & 0x80 ? 0x1b : 0); }
extern "C" __global__ void aes_blocks(const uint8_t* key, const uint4* in, uint4* out, int n) {
  __shared__ uint8_t sbox[256], schedule[176];
  const int t = threadIdx.x;
  for (int i = t; i < 256; i += blockDim.x) {
    uint8_t inverse = 0;
    if (i) {  // i to the 254th
      uint8_t result = 1, power = i;
      for (int bit = 1; bit < 8; ++bit) {
        uint8_t square = 0, x = power;
        for (uint8_t y = power; y; y >>= 1, x = xtime(x)) {
          if (y & 1) square ^= x;
        }
        power = square;
        uint8_t product = 0;
        x = result;
        for (uint8_t y = power; y; y >>= 1, x = xtime(x)) {
          if (y & 1) product ^= x;
        }
        result = product;
      }
      inverse = result;
    }
    unsigned b = inverse | inverse << 8;
    sbox[i] = (b ^ b >> 4 ^ b >> 5 ^ b >> 6 ^ b >> 7) ^ 0x63;
  }
  __syncthreads();
  if (t < 16) schedule[t] = key[t];
  __syncthreads();
  if (t == 0) {
    uint8_t rcon = 1;
    for (int i = 16; i < 176; i += 4) {
      uint8_t w[4];
      for (int k = 0; k < 4; ++k) w[k] = schedule[i - 4 + k];
      if (i % 16 == 0) {
        const uint8_t first = w[0];
        w[0] = sbox[w[1]] ^ rcon, w[1] = sbox[w[2]], w[2] = sbox[w[3]], w[3] = sbox[first];
        rcon = xtime(rcon);
      }
      for (int k = 0; k < 4; ++k) schedule[i + k] = schedule[i - 16 + k] ^ w[k];
    }
  }
  __syncthreads();
  const int at = blockIdx.x * blockDim.x + t;
  if (at >= n) return;
  union {
    uint4 v;
    uint8_t b[16];
  } s, u;
  s.v = in[at];
#pragma unroll
  for (int k = 0; k < 16; ++k) s.b[k] ^= schedule[k];
#pragma unroll 1
  for (int round = 1; round <= 10; ++round) {
#pragma unroll
    for (int k = 0; k < 16; ++k) u.b[k] = sbox[s.b[(k + 4 * (k & 3)) & 15]];
    if (round < 10) {
#pragma unroll
      for (int c = 0; c < 4; ++c) {
        uint8_t* q = u.b + 4 * c;
        const uint8_t all = q[0] ^ q[1] ^ q[2] ^ q[3], first = q[0];
        q[0] ^= all ^ xtime(q[0] ^ q[1]);
        q[1] ^= all ^ xtime(q[1] ^ q[2]);
        q[2] ^= all ^ xtime(q[2] ^ q[3]);
        q[3] ^= all ^ xtime(q[3] ^ first);
      }
    }
#pragma unroll
    for (int k = 0; k < 16; ++k) s.b[k] = u.b[k] ^ schedule[round * 16 + k];
  }
  out[at] = s.v;
}

// Keccak-f[1600], five lanes of a plane to five threads of a group of eight.
__constant__ uint64_t kRound[6] = {1ull, 0x8082ull, 0x800000000000808aull, 0x8000000080008000ull,
                                   0x808bull, 0x80000001ull};
extern "C" __global__ void keccak_few(const uint64_t* in, uint64_t* out, int states) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= states) return;
  uint64_t a[25];
  for (int k = 0; k < 25; ++k) a[k] = in[k * states + i];
#pragma unroll 1
  for (int round = 0; round < 6; ++round) {
    uint64_t c[5];
#pragma unroll
    for (int x = 0; x < 5; ++x) c[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
#pragma unroll
    for (int x = 0; x < 5; ++x) {
      const uint64_t d = c[(x + 4) % 5] ^ (c[(x + 1) % 5] << 1 | c[(x + 1) % 5] >> 63);
#pragma unroll
      for (int y = 0; y < 25; y += 5) a[x + y] ^= d;
    }
    uint64_t last = a[1];
    int x = 1, y = 0;
#pragma unroll
    for (int t = 0; t < 24; ++t) {
      const int ny = (2 * x + 3 * y) % 5, nx = y, r = (t + 1) * (t + 2) / 2 % 64;
      x = nx, y = ny;
      const uint64_t keep = a[x + 5 * y];
      a[x + 5 * y] = last << r | last >> (64 - r);
      last = keep;
    }
#pragma unroll
    for (int y = 0; y < 25; y += 5) {
      uint64_t row[5];
#pragma unroll
      for (int x = 0; x < 5; ++x) row[x] = a[y + x];
#pragma unroll
      for (int x = 0; x < 5; ++x) a[y + x] = row[x] ^ (~row[(x + 1) % 5] & row[(x + 2) % 5]);
    }
    a[0] ^= kRound[round];
  }
  for (int k = 0; k < 25; ++k) out[k * states + i] = a[k];
}

// Miller and Rabin for 63-bit numbers; small moduli by the remainder, large ones bit by bit.
__device__ uint64_t multiply_mod(uint64_t a, uint64_t b, uint64_t m) {
  if (m >> 32 == 0) return a * b % m;
  uint64_t r = 0;
  while (b) {
    if (b & 1) r = r >= m - a ? r - (m - a) : r + a;
    a = a >= m - a ? a - (m - a) : a + a;
    b >>= 1;
  }
  return r;
}
extern "C" __global__ void miller_rabin(const uint64_t* in, uint8_t* prime, int n, int shift) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint64_t v = in[i] >> shift | 1;
  bool ok = v > 2;
  for (int p = 3; ok && p < 30; p += 2) {
    if (v % p == 0) ok = v == p;
  }
  if (ok && v > 900) {
    const int twos = __ffsll(v - 1) - 1;
    const uint64_t odd = (v - 1) >> twos;
    for (int a = 2; a <= 5 && ok; a += a == 2 ? 1 : 2) {
      uint64_t x = 1, base = a;
      for (uint64_t e = odd; e; e >>= 1) {
        if (e & 1) x = multiply_mod(x, base, v);
        base = multiply_mod(base, base, v);
      }
      if (x == 1 || x == v - 1) continue;
      ok = false;
      for (int r = 1; r < twos; ++r) {
        x = multiply_mod(x, x, v);
        if (x == v - 1) {
          ok = true;
          break;
        }
      }
    }
  }
  prime[i] = ok;
}

// 256-bit Montgomery multiplication with carries in assembly.
extern "C" __global__ void montgomery256(const uint32_t* a, const uint32_t* b, uint32_t* out, int n) {
  const uint32_t M[8] = {0xfffffc2f, 0xfffffffe, ~0u, ~0u, ~0u, ~0u, ~0u, ~0u};  // secp256k1's p
  const uint32_t inverse = 0xd2253531u;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t x[8], t[10] = {};
#pragma unroll
  for (int k = 0; k < 8; ++k) x[k] = a[i * 8 + k];
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    const uint32_t y = b[i * 8 + k];
    uint64_t carry = 0;
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      carry += (uint64_t)x[j] * y + t[j];
      t[j] = (uint32_t)carry;
      carry >>= 32;
    }
    asm("add.cc.u32 %0, %0, %2;\n\taddc.u32 %1, %1, 0;" : "+r"(t[8]), "+r"(t[9]) : "r"((uint32_t)carry));
    const uint32_t m = t[0] * inverse;
    carry = ((uint64_t)m * M[0] + t[0]) >> 32;
#pragma unroll
    for (int j = 1; j < 8; ++j) {
      carry += (uint64_t)m * M[j] + t[j];
      t[j - 1] = (uint32_t)carry;
      carry >>= 32;
    }
    asm("add.cc.u32 %0, %2, %3;\n\taddc.u32 %1, %4, 0;"
        : "=r"(t[7]), "=r"(t[8]) : "r"(t[8]), "r"((uint32_t)carry), "r"(t[9]));
    t[9] = 0;
  }
  uint32_t d[8], borrow;
  asm("sub.cc.u32 %0, %9, %17;\n\tsubc.cc.u32 %1, %10, %18;\n\tsubc.cc.u32 %2, %11, %19;\n\t"
      "subc.cc.u32 %3, %12, %19;\n\tsubc.cc.u32 %4, %13, %19;\n\tsubc.cc.u32 %5, %14, %19;\n\t"
      "subc.cc.u32 %6, %15, %19;\n\tsubc.cc.u32 %7, %16, %19;\n\tsubc.u32 %8, 0, 0;"
      : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]), "=r"(d[4]), "=r"(d[5]), "=r"(d[6]), "=r"(d[7]),
        "=r"(borrow)
      : "r"(t[0]), "r"(t[1]), "r"(t[2]), "r"(t[3]), "r"(t[4]), "r"(t[5]), "r"(t[6]), "r"(t[7]),
        "r"(M[0]), "r"(M[1]), "r"(~0u));
  const bool larger = t[8] || !borrow;
#pragma unroll
  for (int k = 0; k < 8; ++k) out[i * 8 + k] = larger ? d[k] : t[k];
}

// Number theoretic transform of 512 points modulo 998244353 in shared memory.
extern "C" __global__ void ntt512(const uint32_t* in, uint32_t* out) {
  const uint32_t P = 998244353;
  __shared__ uint32_t s[512];
  const int t = threadIdx.x;
  const auto power = [](uint64_t b, uint32_t e) {
    uint64_t r = 1;
    for (; e; e >>= 1, b = b * b % 998244353u) {
      if (e & 1) r = r * b % 998244353u;
    }
    return (uint32_t)r;
  };
  for (int k = 0; k < 2; ++k) {
    const unsigned i = t + 256 * k;
    s[__brev(i) >> 23] = in[blockIdx.x * 512 + i] % P;
  }
  for (int half = 1; half < 512; half <<= 1) {
    __syncthreads();
    const int j = t & (half - 1), at = (t - j) * 2 + j;
    const uint32_t w = power(3, (P - 1) / (2 * half) * j);
    const uint32_t u = s[at], v = (uint32_t)((uint64_t)s[at + half] * w % P);
    s[at] = u + v >= P ? u + v - P : u + v;
    s[at + half] = u < v ? u + P - v : u - v;
  }
  __syncthreads();
  out[blockIdx.x * 512 + t] = s[t];
  out[blockIdx.x * 512 + t + 256] = s[t + 256];
}
