// Random numbers and Monte Carlo.
struct Philox {
  unsigned k0, k1;
  __device__ uint4 operator()(uint4 c) const {
    unsigned a = k0, b = k1;
#pragma unroll
    for (int r = 0; r < 10; ++r) {
      unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x,
               h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
      c = make_uint4(h1 ^ c.y ^ a, l1, h0 ^ c.w ^ b, l0);
      a += 0x9E3779B9u;
      b += 0xBB67AE85u;
    }
    return c;
  }
};
__global__ void philox_normals(float4* out, int n, unsigned long long seed) {
  Philox p{(unsigned)seed, (unsigned)(seed >> 32)};
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    uint4 r = p(make_uint4(i, 0, 7, 0));
    float u = (r.x + 1) * 2.3283064e-10f, v = r.y * 1.4629180e-9f, s = sqrtf(-2 * logf(u)), a, b;
    sincosf(v, &a, &b);
    float u2 = (r.z + 1) * 2.3283064e-10f, v2 = r.w * 1.4629180e-9f, s2 = sqrtf(-2 * __logf(u2));
    out[i] = make_float4(s * a, s * b, s2 * __sinf(v2), s2 * __cosf(v2));
  }
}
__global__ void pi_count(const unsigned long long* seeds, unsigned* inside, int trials) {
  unsigned long long x = seeds[blockIdx.x * blockDim.x + threadIdx.x] | 1,
                     y = x * 0x9E3779B97F4A7C15ull;
  unsigned c = 0;
  for (int t = 0; t < trials; ++t) {
    unsigned long long a = x, b = y;
    x = b;
    a ^= a << 23;
    y = a ^ b ^ a >> 17 ^ b >> 26;
    unsigned long long s = y + b;
    float u = (unsigned)s * 2.3283064e-10f, v = (unsigned)(s >> 32) * 2.3283064e-10f;
    c += __popc(__ballot_sync(__activemask(), u * u + v * v < 1.f));
  }
  if ((threadIdx.x & 31) == 0) atomicAdd(inside, c);
}
__global__ void rejection(const unsigned* seeds, float* out, int* tries, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned long long state = seeds[i];
  int k = 0;
  float x;
  auto next = [&] {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    unsigned xs = ((state >> 18) ^ state) >> 27, rot = state >> 59;
    return (xs >> rot) | (xs << ((32 - rot) & 31));
  };
  while (true) {
    ++k;
    unsigned a = next() >> 16, b = next() >> 16;
    if (a < 6000) continue;
    if ((a * (65536 - a)) >> 14 >= b + (b >> 3) || k == 25) {
      x = a * (1.f / 65536);
      break;
    }
  }
  out[i] = x;
  tries[i] = k;
}
__global__ void asian_option(const unsigned* seeds, float* payoff, float s0, float strike,
                             int steps) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = seeds[i] | 1;
  float s = s0, sum = 0;
  bool alive = true;
  for (int t = 0; t < steps && alive; ++t) {
    float z = 0;
    for (int k = 0; k < 4; ++k) {
      x ^= x << 13;
      x ^= x >> 17;
      x ^= x << 5;
      z += (x >> 8) * (1.f / 8388608) - 1.f;
    }
    s = s * (1.f + 0.001f + 0.05f * z);
    sum += s;
    if (s < 0.8f * s0) alive = false;  // barrier
  }
  __shared__ float red[256];
  red[threadIdx.x] = alive ? fmaxf(sum / steps - strike, 0.f) : 0.f;
  __syncthreads();
  for (int h = blockDim.x / 2; h; h >>= 1) {
    if (threadIdx.x < h) red[threadIdx.x] += red[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) payoff[blockIdx.x] = red[0];
}
__global__ void ising(unsigned char* spins, const unsigned* rnd, int w, int h, int colour) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h || ((x + y) & 1) != colour) return;
  auto at = [&](int a, int b) { return (spins[((b + h) % h) * w + (a + w) % w] & 1) * 2 - 1; };
  int e = at(x - 1, y) + at(x + 1, y) + at(x, y - 1) + at(x, y + 1), s = at(x, y);
  if (e * s <= 0 || (rnd[y * w + x] & 255) < (e * s == 2 ? 90 : 8)) spins[y * w + x] ^= 1;
}
__global__ void mt_twist(unsigned* state, unsigned* out) {  // a block of 227 threads, 624 words
  __shared__ unsigned s[624];
  unsigned* g = state + blockIdx.x * 624;
  int t = threadIdx.x;
  for (int i = t; i < 624; i += blockDim.x) s[i] = g[i];
  __syncthreads();
  for (int base = 0; base < 624; base += 227) {
    int i = base + t;
    unsigned y = 0;
    bool on = i < 624;
    if (on) {
      unsigned v = (s[i] & 0x80000000u) | (s[(i + 1) % 624] & 0x7fffffffu);
      y = s[(i + 397) % 624] ^ v >> 1 ^ (v & 1 ? 0x9908b0dfu : 0);
    }
    __syncthreads();
    if (on) {
      s[i] = y;
      y ^= y >> 11;
      y ^= y << 7 & 0x9d2c5680u;
      y ^= y << 15 & 0xefc60000u;
      out[blockIdx.x * 624 + i] = y ^ y >> 18;
    }
    __syncthreads();
  }
}
