#include <cstdint>
// Big integers.
__global__ void add_256(const uint32_t* a, const uint32_t* b, uint32_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint32_t r[8], carry;
  asm("add.cc.u32 %0, %1, %2;" : "=r"(r[0]) : "r"(a[i]), "r"(b[i]));
#pragma unroll
  for (int k = 1; k < 8; ++k)
    asm volatile("addc.cc.u32 %0, %1, %2;" : "=r"(r[k]) : "r"(a[k * n + i]), "r"(b[k * n + i]));
  asm volatile("addc.u32 %0, 0, 0;" : "=r"(carry));
  for (int k = 0; k < 8; ++k) out[k * n + i] = r[k];
  out[8 * n + i] = carry;
}
__global__ void mul_256(const uint64_t* a, const uint64_t* b, uint64_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t r[8] = {};
  for (int x = 0; x < 4; ++x) {
    uint64_t carry = 0;
    for (int y = 0; y < 4; ++y) {
      unsigned __int128 p = (unsigned __int128)a[i * 4 + x] * b[i * 4 + y] + r[x + y] + carry;
      r[x + y] = (uint64_t)p;
      carry = (uint64_t)(p >> 64);
    }
    r[x + 4] = carry;
  }
  for (int k = 0; k < 8; ++k) out[i * 8 + k] = r[k];
}
__device__ uint64_t mont(uint64_t a, uint64_t b, uint64_t m, uint64_t inv) {
  uint64_t lo = a * b, hi = __umul64hi(a, b), q = lo * inv, t = __umul64hi(q, m);
  uint64_t r = hi - t;
  return hi < t ? r + m : r;
}
__global__ void modexp(const uint64_t* base, const uint32_t* exponent, uint64_t* out, uint64_t m,
                       int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64_t inv = m;
  for (int k = 0; k < 5; ++k) inv *= 2 - m * inv;
  uint64_t one = (0 - m) % m, x = base[i] % m, r = one;
  for (uint32_t e = exponent[i] >> (i & 15); e; e >>= 1) {
    if (e & 1) r = mont(r, x, m, inv);
    x = mont(x, x, m, inv);
  }
  out[i] = mont(r, 1, m, inv);
}
__global__ void divide_128(const uint64_t* a, uint64_t* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned __int128 x = (unsigned __int128)a[2 * i] << 64 | a[2 * i + 1],
                    d = (a[i] >> (i & 63)) | 1;
  unsigned __int128 q = x / d, r = x % d;
  out[2 * i] = (uint64_t)q ^ (uint64_t)(q >> 64);
  out[2 * i + 1] = (uint64_t)r;
}
// one number of 32 x 64 bits per warp; carries resolved by ballots
__global__ void warp_add(const uint64_t* a, const uint64_t* b, uint64_t* out, unsigned* carry_out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  uint64_t s = a[i] + b[i];
  unsigned generate = __ballot_sync(~0u, s < a[i]), propagate = __ballot_sync(~0u, s == ~0ull);
  uint64_t sum = (uint64_t)(generate << 1 | 0u) + propagate + ((uint64_t)(generate >> 31) << 32);
  unsigned carries = (unsigned)sum ^ propagate;
  s += carries >> lane & 1;
  out[i] = s;
  if (lane == 0) carry_out[i >> 5] = (unsigned)(sum >> 32);
}
__global__ void ntt_shared(const uint32_t* in,
                           uint32_t* out) {  // 128 points mod 998244353, 64 threads
  const uint32_t P = 998244353;
  __shared__ uint32_t x[128], w[64];
  int t = threadIdx.x;
  auto power = [&](uint64_t b, uint32_t e) {
    uint64_t r = 1;
    for (; e; e >>= 1, b = b * b % P)
      if (e & 1) r = r * b % P;
    return (uint32_t)r;
  };
  w[t] = power(power(3, (P - 1) / 128), t);
  for (int k = t; k < 128; k += 64) x[__brev(k) >> 25] = in[blockIdx.x * 128 + k] % P;
  __syncthreads();
  for (int len = 1; len < 128; len <<= 1) {
    int j = t & (len - 1), at = ((t & ~(len - 1)) << 1) | j;
    uint32_t u = x[at], v = (uint64_t)x[at + len] * w[j * (64 / len)] % P;
    x[at] = u + v >= P ? u + v - P : u + v;
    x[at + len] = u >= v ? u - v : u + P - v;
    __syncthreads();
  }
  for (int k = t; k < 128; k += 64) out[blockIdx.x * 128 + k] = x[k];
}
__global__ void factorial_digits(int* digits,
                                 int n) {  // one thread per number: carries in a local array
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int d[24] = {1}, used = 1;
  for (int f = 2; f <= (i % 18) + 2; ++f) {
    int carry = 0;
    for (int k = 0; k < used || carry; ++k) {
      int v = (k < used ? d[k] : 0) * f + carry;
      d[k] = v % 10;
      carry = v / 10;
      if (k >= used) used = k + 1;
    }
  }
  int s = 0;
  while (used) s = s * 7 + d[--used];
  digits[i] = s;
}
__global__ void gcd_lcm(const unsigned* a, const unsigned* b, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned x = a[i] | 1, y = b[i];
  if (i & 32) {
    while (y) {
      unsigned t = x % y;
      x = y;
      y = t;
    }
  } else if (y) {
    y >>= __ffs(y) - 1;
    while (x != y) {
      if (x > y) {
        x -= y;
        x >>= __ffs(x) - 1;
      } else {
        y -= x;
        y >>= __ffs(y) - 1;
      }
    }
  }
  out[i] = x;
}
