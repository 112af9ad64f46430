// Integrators, roots, polynomials and other scalar numerics.

// RK4 of the Lorenz system, parameters by value in a struct, Kahan in time.
struct State { double x, y, z; };
struct Params { double sigma, rho, beta; };

__device__ __noinline__ State lorenz(const State s, const Params& p) {
  return {p.sigma * (s.y - s.x), s.x * (p.rho - s.z) - s.y, s.x * s.y - p.beta * s.z};
}

extern "C" __global__ void lorenz_rk4(const State* start, State* end, int n, int steps, double dt) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  State s = start[i];
  const Params p = {10.0, 20.0 + i % 9, 8.0 / 3.0};
  for (int k = 0; k < steps; ++k) {
    const State k1 = lorenz(s, p);
    const State k2 = lorenz({s.x + dt / 2 * k1.x, s.y + dt / 2 * k1.y, s.z + dt / 2 * k1.z}, p);
    const State k3 = lorenz({s.x + dt / 2 * k2.x, s.y + dt / 2 * k2.y, s.z + dt / 2 * k2.z}, p);
    const State k4 = lorenz({s.x + dt * k3.x, s.y + dt * k3.y, s.z + dt * k3.z}, p);
    s.x += dt / 6 * (k1.x + 2 * k2.x + 2 * k3.x + k4.x);
    s.y += dt / 6 * (k1.y + 2 * k2.y + 2 * k3.y + k4.y);
    s.z += dt / 6 * (k1.z + 2 * k2.z + 2 * k3.z + k4.z);
  }
  end[i] = s;
}

// Van der Pol by Bogacki-Shampine with step doubling and halving: exact operations decide the steps.
__device__ void vdp(double mu, const double (&y)[2], double (&d)[2]) {
  d[0] = y[1];
  d[1] = mu * (1 - y[0] * y[0]) * y[1] - y[0];
}

extern "C" __global__ void van_der_pol(const double2* start, double2* end, int2* counts, int n, double t_end, double tol) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double mu = 0.5 * (i % 5);
  double y[2] = {start[i].x * 2, start[i].y * 2}, t = 0, h = 0.125;
  double k1[2], k2[2], k3[2], k4[2], tmp[2], next[2];
  int good = 0, bad = 0;
  vdp(mu, y, k1);
  while (t < t_end && good + bad < 400) {
    if (t + h > t_end) h = t_end - t;
    for (int c = 0; c < 2; ++c) tmp[c] = y[c] + 0.5 * h * k1[c];
    vdp(mu, tmp, k2);
    for (int c = 0; c < 2; ++c) tmp[c] = y[c] + 0.75 * h * k2[c];
    vdp(mu, tmp, k3);
    for (int c = 0; c < 2; ++c) next[c] = y[c] + h * (2.0 / 9 * k1[c] + 1.0 / 3 * k2[c] + 4.0 / 9 * k3[c]);
    vdp(mu, next, k4);
    double err = 0;
    for (int c = 0; c < 2; ++c)
      err = fmax(err, fabs(h * (-5.0 / 72 * k1[c] + 1.0 / 12 * k2[c] + 1.0 / 9 * k3[c] - 1.0 / 8 * k4[c])));
    if (err > tol) {
      h *= 0.5;
      ++bad;
      continue;
    }
    t += h;
    for (int c = 0; c < 2; ++c) y[c] = next[c], k1[c] = k4[c];
    ++good;
    if (err < tol / 16) h *= 2;
  }
  end[i] = make_double2(y[0], y[1]);
  counts[i] = make_int2(good, bad);
}

// Integer roots by Newton, gcd and modular inverse: trip counts from the data.
extern "C" __global__ void integer_newton(const unsigned long long* v, unsigned* root, unsigned* cube, long long* inverse, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const unsigned long long x = v[i] >> (i % 50);
    unsigned long long r = x ? 1ull << (64 - __clzll(x) + 1) / 2 : 0;
    while (r) {
      const unsigned long long q = (r + x / r) >> 1;
      if (q >= r) break;
      r = q;
    }
    root[i] = (unsigned)r;
    unsigned long long y = x;
    unsigned c = 0;
    for (int s = 63; s >= 0; s -= 3) {
      c *= 2;
      const unsigned long long b = (3ull * c * (c + 1ull) + 1) << s;
      if ((y >> s) >= 3ull * c * (c + 1ull) + 1) {
        y -= b;
        ++c;
      }
    }
    cube[i] = c;
    const long long m = 1000003;
    long long a = (long long)(x % m), t0 = 0, t1 = 1, r0 = m, r1 = a;
    while (r1 != 0) {
      const long long q = r0 / r1;
      long long tt = t0 - q * t1;
      t0 = t1, t1 = tt;
      tt = r0 - q * r1;
      r0 = r1, r1 = tt;
    }
    inverse[i] = r0 == 1 ? (t0 < 0 ? t0 + m : t0) : 0;
  }
}

// Functions through a table of pointers: Legendre, Chebyshev by Clenshaw, Horner, a fraction.
typedef float (*Function)(float, int);

__device__ float legendre(float x, int n) {
  float p0 = 1.f, p1 = x;
  for (int k = 1; k < n; ++k) {
    const float p2 = ((2 * k + 1) * x * p1 - k * p0) / (k + 1);
    p0 = p1;
    p1 = p2;
  }
  return n == 0 ? p0 : p1;
}
__device__ float clenshaw(float x, int n) {
  float b1 = 0.f, b2 = 0.f;
  for (int k = n; k > 0; --k) {
    const float t = 2.f * x * b1 - b2 + 1.f / (k + 1);
    b2 = b1;
    b1 = t;
  }
  return x * b1 - b2 + 1.f;
}
__device__ float horner(float x, int n) {
  float s = 0.f;
  while (n >= 0) s = s * x + (n-- & 3) - 1.5f;
  return s;
}
__device__ float fraction(float x, int n) {
  float f = 2.f * n + 1.f;
  for (int k = n; k > 0; --k) f = 2.f * k - 1.f + x * x / f;
  return x / f;
}
__device__ const Function kFunctions[4] = {legendre, clenshaw, horner, fraction};

extern "C" __global__ void function_table(const float* x, const unsigned char* which, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = kFunctions[which[i] & 3](x[i], (which[i] >> 2) % 7);
}

// The same choice by a switch of functions that are not inlined, with a fall-through and an early return.
__device__ __noinline__ float agm(float x, int n) {
  float a = 1.f + fabsf(x), g = 0.5f;
  for (int k = 0; k <= n; ++k) {
    const float m = 0.5f * (a + g);
    g = sqrtf(a * g);
    a = m;
  }
  return a;
}
__device__ __noinline__ float estrin(float x, const float* c) {
  const float x2 = x * x, x4 = x2 * x2;
  return (c[0] + c[1] * x) + (c[2] + c[3] * x) * x2 + ((c[4] + c[5] * x) + (c[6] + c[7] * x) * x2) * x4;
}

extern "C" __global__ void function_switch(const float* x, const unsigned char* which, const float* coef, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int w = which[i], degree = (w >> 3) % 9;
  float v = x[i], c[8];
  for (int k = 0; k < 8; ++k) c[(k + w) & 7] = coef[k];
  switch (w & 7) {
    case 0: v = legendre(v, degree); break;
    case 1: v *= 0.5f;  // and
    case 2: v = agm(v, degree); break;
    case 3: y[i] = -v; return;
    case 4: v = fraction(v, degree); break;
    case 5: v = estrin(v, c); break;
    case 6: v = agm(estrin(v, c), 3); break;
    default: v = c[degree & 7];
  }
  y[i] = v;
}

// Adaptive Simpson by recursion: depth from an exact comparison of doubles.
__device__ double integrand(double x) { return 1.0 / (0.03 + x * x); }

__device__ double simpson(double a, double fa, double b, double fb, double m, double fm, double whole, double tol, int depth, int& calls) {
  ++calls;
  const double h = b - a, lm = 0.5 * (a + m), rm = 0.5 * (m + b), flm = integrand(lm), frm = integrand(rm);
  const double left = h / 12 * (fa + 4 * flm + fm), right = h / 12 * (fm + 4 * frm + fb);
  const double delta = left + right - whole;
  if (depth <= 0 || fabs(delta) <= 15 * tol) return left + right + delta / 15;
  return simpson(a, fa, m, fm, lm, flm, left, tol / 2, depth - 1, calls) + simpson(m, fm, b, fb, rm, frm, right, tol / 2, depth - 1, calls);
}

extern "C" __global__ void adaptive_simpson(const double2* limits, double* value, int* calls, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  const double a = limits[i].x, b = limits[i].y, m = 0.5 * (a + b), fa = integrand(a), fb = integrand(b), fm = integrand(m);
  int count = 0;
  value[i] = simpson(a, fa, b, fb, m, fm, (b - a) / 6 * (fa + 4 * fm + fb), 1e-5, 7, count);
  calls[i] = count;
}

// Romberg with a triangular table in local memory, rows grown until the corner settles.
extern "C" __global__ void romberg(const float2* limits, double* value, int* rows, int n) {
  const int i = threadIdx.x + blockIdx.x * blockDim.x;
  if (i >= n) return;
  double table[8][8];
  const double a = limits[i].x, b = limits[i].y + 2.5;
  double h = b - a;
  table[0][0] = h / 2 * (1 / (1 + a * a) + 1 / (1 + b * b));
  int k = 1;
  for (; k < 8; ++k) {
    h /= 2;
    double s = 0;
    for (int j = 1; j < 1 << k; j += 2) {
      const double x = a + j * h;
      s += 1 / (1 + x * x);
    }
    table[k][0] = table[k - 1][0] / 2 + h * s;
    long long p = 4;
    for (int m = 1; m <= k; ++m, p *= 4) table[k][m] = table[k][m - 1] + (table[k][m - 1] - table[k - 1][m - 1]) / (p - 1);
    if (k > 2 && fabs(table[k][k] - table[k - 1][k - 1]) < 1e-7) break;
  }
  k = min(k, 7);
  value[i] = table[k][k];
  rows[i] = k;
}

// All roots of a complex polynomial by Durand-Kerner in float2, a polynomial a thread, few iterations.
template <int D>
__global__ void durand_kerner(const float* coef, float2* roots, int n, int iterations) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float2 z[D];
  float2 p = make_float2(1.f, 0.f);
  for (int k = 0; k < D; ++k) {
    z[k] = p;
    p = make_float2(0.4f * p.x - 0.9f * p.y, 0.4f * p.y + 0.9f * p.x);
  }
  for (int it = 0; it < iterations; ++it)
    for (int k = 0; k < D; ++k) {
      float2 num = make_float2(1.f, 0.f), den = make_float2(1.f, 0.f);
      for (int j = 0; j < D; ++j) {
        num = make_float2(num.x * z[k].x - num.y * z[k].y + coef[i * D + j], num.x * z[k].y + num.y * z[k].x);
        if (j != k) {
          const float2 d = make_float2(z[k].x - z[j].x, z[k].y - z[j].y);
          den = make_float2(den.x * d.x - den.y * d.y, den.x * d.y + den.y * d.x);
        }
      }
      const float q = den.x * den.x + den.y * den.y;
      z[k].x -= (num.x * den.x + num.y * den.y) / q;
      z[k].y -= (num.y * den.x - num.x * den.y) / q;
    }
  for (int k = 0; k < D; ++k) roots[k * n + i] = z[k];
}

// Double-double dot products and their sum over a block, pairs of doubles in shared memory.
struct DD { double hi, lo; };

__device__ __forceinline__ DD dd_add(DD a, DD b) {
  const double s = __dadd_rn(a.hi, b.hi), v = __dsub_rn(s, a.hi);
  double e = __dadd_rn(__dsub_rn(a.hi, __dsub_rn(s, v)), __dsub_rn(b.hi, v));
  e = __dadd_rn(e, __dadd_rn(a.lo, b.lo));
  const double hi = __dadd_rn(s, e);
  return {hi, __dsub_rn(e, __dsub_rn(hi, s))};
}

extern "C" __global__ void dot_double_double(const double* x, const double* y, DD* out, int n) {
  __shared__ DD s[96];
  const int t = threadIdx.x;
  DD acc = {0, 0};
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
    const double p = __dmul_rn(x[i], y[i]);
    acc = dd_add(acc, DD{p, __fma_rn(x[i], y[i], -p)});
  }
  s[t] = acc;
  __syncthreads();
  for (int h = 64; h > 0; h >>= 1) {
    if (t < h && t + h < (int)blockDim.x) s[t] = dd_add(s[t], s[t + h]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
