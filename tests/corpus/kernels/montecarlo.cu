// Random numbers of all sorts and what people do with them.
#include <curand_kernel.h>

// pi by a linear congruential generator that leaps: thread t starts at x0 * a^t + ... and steps by a^T.
__device__ void lcg_leap(unsigned long long k, unsigned long long& a, unsigned long long& c) {
  unsigned long long ra = 1, rc = 0, pa = 6364136223846793005ull, pc = 1442695040888963407ull;
  while (k) {
    if (k & 1) {
      ra *= pa;
      rc = rc * pa + pc;
    }
    pc *= pa + 1;
    pa *= pa;
    k >>= 1;
  }
  a = ra;
  c = rc;
}

extern "C" __global__ void pi_lcg(unsigned long long* hits, int samples, unsigned long long seed) {
  unsigned long long a, c, x;
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  lcg_leap(id, a, c);
  x = seed * a + c;
  lcg_leap(gridDim.x * blockDim.x, a, c);
  int in = 0;
  for (int s = id; s < samples; s += gridDim.x * blockDim.x) {
    const long long u = (x >> 33) & 0x3fffffff;
    x = x * a + c;
    const long long v = (x >> 33) & 0x3fffffff;
    x = x * a + c;
    in += u * u + v * v < (1ll << 60);
  }
  in = __reduce_add_sync(0xffffffff, in);
  if (threadIdx.x % 32 == 0) atomicAdd(hits, (unsigned long long)in);
}

// xoshiro128+, state as a uint4 a thread; knock-out option on an integer random walk: paths end early.
__device__ __forceinline__ unsigned rotl(unsigned x, int k) { return __funnelshift_l(x, x, k); }

__device__ __forceinline__ unsigned next(uint4& s) {
  const unsigned r = s.x + s.w, t = s.y << 9;
  s.z ^= s.x;
  s.w ^= s.y;
  s.y ^= s.z;
  s.x ^= s.w;
  s.z ^= t;
  s.w = rotl(s.w, 11);
  return r;
}

extern "C" __global__ void barrier_option(uint4* states, int* payoff, unsigned short* days, int paths, int horizon, int barrier,
                                          int strike) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  uint4 s = states[p];
  int price = 0, day = 0, sum = 0;
  while (day < horizon) {
    const unsigned r = next(s);
    price += __popc(r & 0xffff) - 8;           // binomial(16) - 8
    if (r >> 31) price += (int)(r >> 28 & 3) - 1;
    ++day;
    sum += price;
    if (price > barrier || price < -barrier) { sum = 0; break; }
  }
  payoff[p] = max(sum / max(day, 1) - strike, 0);
  days[p] = day;
  states[p] = s;
}

// Ising, checkerboard in shared memory, 64-bit multi-spin? no: a byte a spin, thresholds as integers.
extern "C" __global__ void ising_tile(signed char* spins, int* energy, int sweeps, unsigned seed) {
  __shared__ signed char s[20][36];
  __shared__ unsigned limit[5];
  const int W = 32, H = 16, tx = threadIdx.x, ty = threadIdx.y;
  const int t = ty * W + tx;
  if (t < 5) limit[t] = t == 0 ? 0xffffffffu : 0xffffffffu >> (2 * t);
  s[ty][tx] = spins[blockIdx.x * W * H + t] & 1 ? 1 : -1;
  __syncthreads();
  unsigned rng = seed ^ (blockIdx.x * W * H + t) * 2654435761u;
  for (int sweep = 0; sweep < 2 * sweeps; ++sweep) {
    rng = rng * 1664525u + 1013904223u;
    if (((tx + ty + sweep) & 1) == 0) {
      const int n = s[ty][(tx + 1) % W] + s[ty][(tx + W - 1) % W] + s[(ty + 1) % H][tx] + s[(ty + H - 1) % H][tx];
      const int gain = s[ty][tx] * n;
      if (gain <= 0 || (rng ^ rng >> 16) * 0x45d9f3bu < limit[gain]) s[ty][tx] = -s[ty][tx];
    }
    __syncthreads();
  }
  const int e = -s[ty][tx] * (s[ty][(tx + 1) % W] + s[(ty + 1) % H][tx]);
  const int sum = __reduce_add_sync(~0u, e);
  if (tx == 0) atomicAdd(&energy[blockIdx.x], sum);
  spins[blockIdx.x * W * H + t] = s[ty][tx];
}

// Sobol points by Gray code, dimension a row of the grid, directions in shared memory.
extern "C" __global__ void sobol_mean(const unsigned* directions, double* mean, unsigned* last, int log2_per_thread) {
  __shared__ unsigned v[32];
  __shared__ double part[8];
  const int dim = blockIdx.y;
  if (threadIdx.x < 32) v[threadIdx.x] = directions[dim * 32 + threadIdx.x] | 1u << 31 >> threadIdx.x;
  __syncthreads();
  const unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned i = id << log2_per_thread, x = 0;
  for (unsigned g = i ^ i >> 1, k = 0; g; g >>= 1, ++k)
    if (g & 1) x ^= v[k];
  double s = 0;
  for (int k = 0; k < 1 << log2_per_thread; ++k) {
    s += x * 0x1p-32;
    ++i;
    x ^= v[__ffs(i) - 1];
  }
  last[dim * gridDim.x * blockDim.x + id] = x;
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (unsigned w = 1; w < blockDim.x / 32; ++w) s += part[w];
    mean[dim * gridDim.x + blockIdx.x] = s / ((1 << log2_per_thread) * (double)blockDim.x);
  }
}

// The toolkit's own generator: normals of curand's Philox, a European call of each path.
extern "C" __global__ void asian_curand(float* payoff, int paths, int steps, float drift, float vol, unsigned long long seed) {
  const int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= paths) return;
  curandStatePhilox4_32_10_t state;
  curand_init(seed, p, 0, &state);
  float logs = 0.f, mean = 0.f;
  for (int k = 0; k < steps; k += 4) {
    const float4 z = curand_normal4(&state);
    logs += drift + vol * z.x, mean += expf(logs);
    logs += drift + vol * z.y, mean += expf(logs);
    logs += drift + vol * z.z, mean += expf(logs);
    logs += drift + vol * z.w, mean += expf(logs);
  }
  payoff[p] = fmaxf(mean / steps - 1.f, 0.f);
}

// curand's XORWOW with skip-ahead, uniform integers, rejection: trip counts differ from lane to lane.
extern "C" __global__ void dice_xorwow(unsigned* rolls, unsigned char* tries, int n, unsigned sides, unsigned long long seed) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    curandState s;
    curand_init(seed + i, 0, i % 3, &s);
    unsigned r, k = 0;
    do {
      r = curand(&s) >> 24;
      ++k;
    } while (r >= sides);
    rolls[i] = r;
    tries[i] = (unsigned char)k;
  }
}
