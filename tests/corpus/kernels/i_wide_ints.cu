// carries, 128 bits, checksums, ciphers, generators
typedef unsigned u32; typedef unsigned long long u64; typedef unsigned char u8; typedef unsigned short u16;

// W-word addition and subtraction by carry chains, comparison, and a schoolbook product
template<int W> __global__ void big(const u32* __restrict__ a, const u32* __restrict__ b, u32* out, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  u32 x[W], y[W], s[W], p[2 * W];
  #pragma unroll
  for (int i = 0; i < W; ++i) { x[i] = a[i * n + t]; y[i] = b[t * W + i]; }
  asm("add.cc.u32 %0, %1, %2;" : "=r"(s[0]) : "r"(x[0]), "r"(y[0]));
  #pragma unroll
  for (int i = 1; i < W; ++i) asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(s[i]) : "r"(x[i]), "r"(y[i]));
  u32 carry; asm volatile("addc.u32 %0, 0, 0;" : "=r"(carry));
  #pragma unroll
  for (int i = 0; i < 2 * W; ++i) p[i] = 0;
  #pragma unroll
  for (int i = 0; i < W; ++i) {
    u32 c = 0;
    #pragma unroll
    for (int j = 0; j < W; ++j) { u64 m = (u64)x[i] * y[j] + p[i + j] + c; p[i + j] = (u32)m; c = m >> 32; }
    p[i + W] = c;
  }
  int cmp = 0;
  #pragma unroll 1
  for (int i = W - 1; i >= 0 && !cmp; --i) cmp = s[i] > p[W + i] ? 1 : s[i] < p[W + i] ? -1 : 0;
  if (cmp < 0) {
    asm volatile("sub.cc.u32 %0, %0, %1;" : "+r"(s[0]) : "r"(y[0]));
    #pragma unroll
    for (int i = 1; i < W; ++i) asm volatile("subc.cc.u32 %0, %0, %1;" : "+r"(s[i]) : "r"(x[i]));
  }
  #pragma unroll
  for (int i = 0; i < W; ++i) out[t * (3 * W + 1) + i] = s[i];
  #pragma unroll
  for (int i = 0; i < 2 * W; ++i) out[t * (3 * W + 1) + W + i] = p[i];
  out[t * (3 * W + 1) + 3 * W] = carry * 4 + cmp + 1;
}

// one number per warp: carries resolved by ballot (carry look-ahead)
extern "C" __global__ void warp_add(const u32* a, const u32* b, u32* out, u32 mask)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  u32 x = a[t] | mask, y = b[t], s = x + y;
  u32 g = __ballot_sync(~0u, s < x), p = __ballot_sync(~0u, s == ~0u);
  u64 c = ((u64)g * 2 + p) ^ p;
  s += (u32)(c >> lane) & 1;
  out[t] = s;
}

extern "C" __global__ void int128(const u64* __restrict__ a, const u64* __restrict__ b, u64* out, int n, int shift)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  unsigned __int128 x = (unsigned __int128)a[t] * b[t]; __int128 y = ((__int128)(long long)a[t] << 32) - b[t];
  x += (unsigned __int128)y >> shift; y >>= (shift & 63) + 3;
  if (y < 0) { x ^= y; y = -y; }
  unsigned __int128 m = ((unsigned __int128)b[n - 1 - t] << 20) + 977;
  unsigned __int128 r = t % 3 == 0 ? x % m : t % 3 == 1 ? x * (u64)y : x >> (t & 127);
  out[2 * t] = (u64)r; out[2 * t + 1] = (u64)(r >> 64) + __umul64hi(a[t], b[t]) - (u64)__mul64hi((long long)a[t], (long long)b[t]);
}

// CRC-32 by a table made in shared memory, bytes read one at a time, ragged lengths
extern "C" __global__ void crc(const u8* __restrict__ data, u32* out, int pitch, int n)
{
  __shared__ u32 table[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) { u32 c = i; for (int k = 0; k < 8; ++k) c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1; table[i] = c; }
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int len = data[t * pitch] % pitch; u32 c = ~0u;
  for (int i = 0; i < len; ++i) c = table[(c ^ data[t * pitch + i]) & 255] ^ c >> 8;
  out[t] = ~c;
}

__constant__ u32 K[64] = {0x428a2f98,0x71374491,0xb5c0fbcf,0xe9b5dba5,0x3956c25b,0x59f111f1,0x923f82a4,0xab1c5ed5,0xd807aa98,0x12835b01,0x243185be,0x550c7dc3,0x72be5d74,0x80deb1fe,0x9bdc06a7,0xc19bf174,0xe49b69c1,0xefbe4786,0x0fc19dc6,0x240ca1cc,0x2de92c6f,0x4a7484aa,0x5cb0a9dc,0x76f988da,0x983e5152,0xa831c66d,0xb00327c8,0xbf597fc7,0xc6e00bf3,0xd5a79147,0x06ca6351,0x14292967,0x27b70a85,0x2e1b2138,0x4d2c6dfc,0x53380d13,0x650a7354,0x766a0abb,0x81c2c92e,0x92722c85,0xa2bfe8a1,0xa81a664b,0xc24b8b70,0xc76c51a3,0xd192e819,0xd6990624,0xf40e3585,0x106aa070,0x19a4c116,0x1e376c08,0x2748774c,0x34b0bcb5,0x391c0cb3,0x4ed8aa4a,0x5b9cca4f,0x682e6ff3,0x748f82ee,0x78a5636f,0x84c87814,0x8cc70208,0x90befffa,0xa4506ceb,0xbef9a3f7,0xc67178f2};
// SHA-256 of messages of any length (padding inside), one per thread
template<bool ROLLED> __global__ void sha256(const u8* __restrict__ data, u32* out, int pitch, int n, int step)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  int len = (t * step) % (pitch + 1), blocks = (len + 9 + 63) / 64; const u8* m = data + t * pitch;
  u32 h[8] = {0x6a09e667,0xbb67ae85,0x3c6ef372,0xa54ff53a,0x510e527f,0x9b05688c,0x1f83d9ab,0x5be0cd19}, w[16];
  for (int b = 0; b < blocks; ++b) {
    for (int i = 0; i < 16; ++i) { u32 v = 0; for (int k = 0; k < 4; ++k) { int at = b * 64 + i * 4 + k; v = v << 8 | (at < len ? m[at] : at == len ? 0x80 : 0); } w[i] = v; }
    if (b == blocks - 1) w[15] = len * 8;
    u32 s[8]; for (int i = 0; i < 8; ++i) s[i] = h[i];
    #pragma unroll (ROLLED ? 1 : 64)
    for (int i = 0; i < 64; ++i) {
      if (i >= 16) { u32 x = w[(i + 1) & 15], y = w[(i + 14) & 15]; w[i & 15] += (__funnelshift_r(x, x, 7) ^ __funnelshift_r(x, x, 18) ^ x >> 3) + w[(i + 9) & 15] + (__funnelshift_r(y, y, 17) ^ __funnelshift_r(y, y, 19) ^ y >> 10); }
      u32 e = s[4], a = s[0], t1 = s[7] + (__funnelshift_r(e, e, 6) ^ __funnelshift_r(e, e, 11) ^ __funnelshift_r(e, e, 25)) + ((e & s[5]) ^ (~e & s[6])) + K[i] + w[i & 15];
      u32 t2 = (__funnelshift_r(a, a, 2) ^ __funnelshift_r(a, a, 13) ^ __funnelshift_r(a, a, 22)) + ((a & s[1]) ^ (a & s[2]) ^ (s[1] & s[2]));
      s[7] = s[6]; s[6] = s[5]; s[5] = e; s[4] = s[3] + t1; s[3] = s[2]; s[2] = s[1]; s[1] = a; s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; ++i) h[i] += s[i];
  }
  for (int i = 0; i < 8; ++i) out[t * 8 + i] = h[i];
}

// AES-like rounds: S-box computed into shared, four T-tables by rotation, 10 rounds
extern "C" __global__ void aes(const uint4* __restrict__ in, uint4* out, int n, u32 seed)
{
  __shared__ u32 T[256]; __shared__ u8 S[256];
  for (int i = threadIdx.x; i < 256; i += blockDim.x) {
    u32 inv = 0; if (i) { u32 a = 1; for (int k = 0; k < 254; ++k) { u32 x = a, y = i, r = 0; while (y) { if (y & 1) r ^= x; x = x << 1 ^ (x & 0x80 ? 0x11b : 0); y >>= 1; } a = r & 255; } inv = a; }
    u32 s = inv; for (int k = 1; k < 5; ++k) s ^= inv << k | inv >> (8 - k); s = (s ^ 0x63) & 255;
    S[i] = s; u32 s2 = s << 1 ^ (s & 0x80 ? 0x11b : 0);
    T[i] = s2 | s << 8 | s << 16 | (s2 ^ s) << 24;
  }
  __syncthreads();
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  uint4 v = in[t]; u32 k = seed;
  for (int r = 0; r < 9; ++r) {
    auto R = [&](u32 x, int by) { return __byte_perm(x, x, by == 8 ? 0x2103 : by == 16 ? 0x1032 : 0x0321); };
    uint4 q; k = k * 1664525u + 1013904223u;
    q.x = T[v.x & 255] ^ R(T[v.y >> 8 & 255], 8) ^ R(T[v.z >> 16 & 255], 16) ^ R(T[v.w >> 24], 24) ^ k;
    q.y = T[v.y & 255] ^ R(T[v.z >> 8 & 255], 8) ^ R(T[v.w >> 16 & 255], 16) ^ R(T[v.x >> 24], 24) ^ (k >> 3);
    q.z = T[v.z & 255] ^ R(T[v.w >> 8 & 255], 8) ^ R(T[v.x >> 16 & 255], 16) ^ R(T[v.y >> 24], 24) ^ (k >> 7);
    q.w = T[v.w & 255] ^ R(T[v.x >> 8 & 255], 8) ^ R(T[v.y >> 16 & 255], 16) ^ R(T[v.z >> 24], 24) ^ ~k;
    v = q;
  }
  v.x = S[v.x & 255] | S[v.y >> 8 & 255] << 8 | S[v.z >> 16 & 255] << 16 | (u32)S[v.w >> 24] << 24;
  out[t] = v;
}

// philox 4x32-10 and xorwow, normals by Box-Muller, rejection loop
extern "C" __global__ void generators(float* out, u32* bits, int n, u32 key, int draws)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  u32 c0 = t, c1 = 0, c2 = 1, c3 = 0, k0 = key, k1 = key * 3;
  for (int i = 0; i < 10; ++i) { u32 h0 = __umulhi(0xD2511F53u, c0), l0 = 0xD2511F53u * c0, h1 = __umulhi(0xCD9E8D57u, c2), l1 = 0xCD9E8D57u * c2; c0 = h1 ^ c1 ^ k0; c1 = l1; c2 = h0 ^ c3 ^ k1; c3 = l0; k0 += 0x9E3779B9u; k1 += 0xBB67AE85u; }
  u32 x = c0 | 1, y = c1, z = c2, w = c3, v = 88675123u, d = key; float sum = 0; int tries = 0;
  for (int i = 0; i < draws; ++i) {
    float a, b, r;
    do {
      u32 q = x ^ x >> 2; x = y; y = z; z = w; w = v; v = v ^ v << 4 ^ q ^ q << 1; d += 362437; a = (v + d) * 4.6566129e-10f - 1.f;
      q = x ^ x >> 2; x = y; y = z; z = w; w = v; v = v ^ v << 4 ^ q ^ q << 1; d += 362437; b = (v + d) * 4.6566129e-10f - 1.f;
      r = a * a + b * b; ++tries;
    } while (r >= 1.f || r == 0.f);
    sum += a * sqrtf(-2.f * logf(r) / r);
  }
  out[t] = sum; bits[t] = v * 64 + tries;
}

// divisions by variables, signed and not, 32 and 64 bits, gcd, power mod
template<typename T> __global__ void divisions(const T* __restrict__ a, const T* __restrict__ b, T* out, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  T x = a[t], y = b[t] >> (t % (sizeof(T) * 8 - 2));
  if (y == 0) y = 3;
  T q = x / y, r = x % y, g = x, h = y; int k = 0;
  while (h && k++ < 12) { T s = g % h; g = h; h = s; }
  T m = (T)(r < 0 ? -r : r) % 1000003 + 2, p = 1, e = (T)(q & 63), base = (T)(x & 0xffff) % m;
  while (e) { if (e & 1) p = (T)((u64)p * (u64)base % (u64)m); base = (T)((u64)base * (u64)base % (u64)m); e >>= 1; }
  out[t] = q ^ (r << 1) ^ g ^ (p << 3) ^ (T)(x / 7) ^ (T)(x % 1000);
}

// packed and bitwise intrinsics
extern "C" __global__ void packed(const u32* __restrict__ a, const u32* __restrict__ b, u32* out, int n, int rounds)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  u32 x = a[t], y = b[t], z = x ^ ~y; int s = 0;
  for (int r = 0; r < rounds; ++r) {
    switch ((x ^ r) & 7) {
      case 0: x = __vadd4(x, y); break;
      case 1: x = __vsubus2(y, x); break;
      case 2: x = __vabsdiffs4(x, z); break;
      case 3: x = __vmaxu4(x, y) ^ __vcmpgts2(x, z); break;
      case 4: x = __vavgu4(x, y); break;
      case 5: asm("lop3.b32 %0, %1, %2, %3, 0x96;" : "=r"(x) : "r"(x), "r"(y), "r"(z)); break;
      case 6: asm("prmt.b32.f4e %0, %1, %2, %3;" : "=r"(x) : "r"(x), "r"(y), "r"(r)); break;
      case 7: asm("bfi.b32 %0, %1, %2, %3, %4;" : "=r"(x) : "r"(y), "r"(z), "r"(r & 31), "r"((t & 7) + 3)); break;
    }
    int e; asm("bfe.s32 %0, %1, %2, %3;" : "=r"(e) : "r"((int)y), "r"(r * 3 & 31), "r"((t & 15) + 1)); s += e;
    y = __funnelshift_lc(y, x, r * 5); z = __dp4a(x, y, z); s = __sad(s, e, s & 0xff); s = max(min(s, 30000), -30000);
    u32 f; asm("bfind.u32 %0, %1;" : "=r"(f) : "r"(z)); z += f; z ^= __clz(y) * __ffs(x);
    asm("vadd.s32.s32.s32.sat %0, %1, %2;" : "=r"(s) : "r"(s), "r"((int)f));
    asm("add.sat.s32 %0, %1, %2;" : "=r"(s) : "r"(s), "r"((int)z));
    x += __mul24(s, e) + __uhadd(x, z);
  }
  out[t] = x ^ y ^ z ^ s;
}

// life on 32-cell words with full adders; rows wrap; several steps in shared memory
extern "C" __global__ void life(const u32* __restrict__ in, u32* out, int words, int rows, int steps)
{
  extern __shared__ u32 f[]; u32 *a = f, *b = f + words * rows; int n = words * rows;
  for (int i = threadIdx.x; i < n; i += blockDim.x) a[i] = in[blockIdx.x * n + i];
  for (int s = 0; s < steps; ++s) {
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) {
      int r = i / words, c = i - r * words; u32 ones = 0, twos = 0, fours = 0;
      for (int dr = -1; dr <= 1; ++dr) {
        int q = (r + dr + rows) % rows * words; u32 m = a[q + c], l = __funnelshift_l(a[q + (c + words - 1) % words], m, 1), h = __funnelshift_r(m, a[q + (c + 1) % words], 1);
        u32 v[3] = {l, h, dr ? m : 0};
        #pragma unroll
        for (int k = 0; k < 3; ++k) { u32 c1 = ones & v[k]; ones ^= v[k]; u32 c2 = twos & c1; twos ^= c1; fours |= c2; }
      }
      b[i] = twos & ~fours & (ones | a[i]);
    }
    u32* x = a; a = b; b = x;
  }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[blockIdx.x * n + i] = a[i];
}
