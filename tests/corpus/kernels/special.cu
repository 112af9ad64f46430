// Functions of the mathematical library, rounding modes, narrow floats, complex numbers, typed atomics.
#include <cuComplex.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

extern "C" __global__ void special_f32(const float* x, const unsigned char* which, float* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const float v = x[i] * (float)(1 << (i & 7));
  float r, s;
  int e;
  switch (which[i] % 24) {
    case 0: r = lgammaf(v); break;
    case 1: r = tgammaf(v * 0.125f); break;
    case 2: r = erfcf(v); break;
    case 3: r = erfinvf(x[i]); break;
    case 4: r = normcdff(v); break;
    case 5: r = j0f(v); break;
    case 6: r = y1f(fabsf(v)); break;
    case 7: r = cbrtf(v); break;
    case 8: r = powf(fabsf(v), 2.5f); break;
    case 9: r = atan2f(v, 3.f - v); break;
    case 10: r = asinf(x[i]) + acosf(x[i]); break;
    case 11: r = sinhf(v * 0.1f); break;
    case 12: r = atanhf(x[i]); break;
    case 13: r = fmodf(v * 100.f, 0.7f); break;
    case 14: r = remainderf(v, 0.3f); break;
    case 15: r = frexpf(v, &e) + e; break;
    case 16: r = modff(v * 3.f, &s) + s; break;
    case 17: r = nextafterf(v, 5.f); break;
    case 18: r = sinf(v * 100000.f); break;
    case 19: r = tanf(v); break;
    case 20: r = log1pf(fabsf(v)) + expm1f(v * 0.01f); break;
    case 21: r = hypotf(v, x[n - 1 - i]); break;
    case 22: r = rcbrtf(v) + exp10f(x[i]); break;
    default: r = (float)ilogbf(v) + logbf(v) + scalbnf(v, 3) + fdimf(v, 1.f) + copysignf(2.f, v) + rintf(v) + roundf(v);
  }
  y[i] = r;
}

extern "C" __global__ void special_f64(const double* x, const unsigned char* which, double* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double v = x[i] * (1 << (i & 7));
  switch (which[i] & 7) {
    case 0: y[i] = lgamma(fabs(v) + 0.5); break;
    case 1: y[i] = erf(v) + erfc(x[i]); break;
    case 2: y[i] = pow(fabs(v), 1.0 / 3) - cbrt(fabs(v)); break;
    case 3: y[i] = log1p(fabs(v)) + exp2(x[i]) + log10(fabs(v)); break;
    case 4: y[i] = atan2(v, 2.0) + asinh(v); break;
    case 5: y[i] = fmod(v * 1000, 0.37) + remainder(v, 0.1); break;
    case 6: y[i] = sin(v * 1e9) + tan(x[i]); break;
    default: y[i] = rsqrt(fabs(v)) + trunc(v) + rint(v * 10) + (double)llrint(v * 1e6);
  }
}

// Interval arithmetic by directed rounding: a polynomial's bounds, pairs of (low, high).
extern "C" __global__ void interval_poly(const float2* x, const float* c, float2* y, int n, int degree) {
  for (int i = threadIdx.x + blockDim.x * blockIdx.x; i < n; i += blockDim.x * gridDim.x) {
    const float lo = fminf(x[i].x, x[i].y), hi = fmaxf(x[i].x, x[i].y);
    float a = 0.f, b = 0.f;
    for (int k = degree; k >= 0; --k) {
      const float p0 = __fmul_rd(a, lo), p1 = __fmul_rd(a, hi), p2 = __fmul_rd(b, lo), p3 = __fmul_rd(b, hi);
      const float q0 = __fmul_ru(a, lo), q1 = __fmul_ru(a, hi), q2 = __fmul_ru(b, lo), q3 = __fmul_ru(b, hi);
      a = __fadd_rd(fminf(fminf(p0, p1), fminf(p2, p3)), c[k]);
      b = __fadd_ru(fmaxf(fmaxf(q0, q1), fmaxf(q2, q3)), c[k]);
    }
    const double w = __dsub_ru((double)b, (double)a);
    y[i] = make_float2(__double2float_rd(__dmul_rz(w, 0.1)), __fsqrt_ru(__fdiv_rd(1.f, __fadd_rz(b - a, 1.f))));
  }
}

// Half-precision mathematics: softplus of half2, comparisons as masks, conversions of all sorts.
extern "C" __global__ void half_math(const __half2* x, __half2* y, short* codes, int pairs) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= pairs) return;
  const __half2 v = x[i], two = __float2half2_rn(2.f);
  __half2 r = h2log(__hadd2(h2exp(v), __float2half2_rn(1.f)));
  r = __hfma2_relu(r, two, __hneg2(h2sqrt(__habs2(v))));
  r = __hsub2_sat(r, __hmul2(v, __hlt2(v, __float2half2_rn(0.25f))));
  r = __hadd2(r, h2rint(__hmul2(v, __float2half2_rn(7.f))));
  const __half a = __low2half(v), b = __high2half(v);
  if (__hgt(a, b)) r = __lowhigh2highlow(r);
  codes[2 * i] = __half2short_rd(__hmul(a, __float2half(100.f))) + (short)__half_as_ushort(hrcp(__hadd(b, __float2half(3.f))));
  codes[2 * i + 1] = __half2short_rn(__hdiv(b, __float2half_rz(0.3f))) + (__hisnan(a) ? 1000 : 0);
  y[i] = r;
}

// Powers of complex matrices 2 x 2 (cuComplex), by squaring with the exponent of the thread.
extern "C" __global__ void complex_power(const cuDoubleComplex* m, cuDoubleComplex* out, const unsigned char* exponent, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  cuDoubleComplex b[2][2], r[2][2] = {{{1, 0}, {0, 0}}, {{0, 0}, {1, 0}}};
  for (int k = 0; k < 4; ++k) b[k >> 1][k & 1] = m[i * 4 + k];
  auto multiply = [](cuDoubleComplex(&p)[2][2], const cuDoubleComplex(&q)[2][2]) {
    cuDoubleComplex t[2][2];
    for (int y = 0; y < 2; ++y)
      for (int x = 0; x < 2; ++x) t[y][x] = cuCfma(p[y][0], q[0][x], cuCmul(p[y][1], q[1][x]));
    for (int k = 0; k < 4; ++k) p[k >> 1][k & 1] = t[k >> 1][k & 1];
  };
  for (int e = exponent[i] & 15; e; e >>= 1) {
    if (e & 1) multiply(r, b);
    if (e > 1) {
      const cuDoubleComplex c[2][2] = {{b[0][0], b[0][1]}, {b[1][0], b[1][1]}};
      multiply(b, c);
    }
  }
  for (int k = 0; k < 4; ++k) out[i * 4 + k] = cuCdiv(r[k >> 1][k & 1], make_cuDoubleComplex(1.0, 0.5));
}

// Sums into bins of every type that atomicAdd takes, dyadic values so that no order matters.
extern "C" __global__ void typed_atomics(const signed char* v, __half2* h, __nv_bfloat162* b, double* d, float* f, float4* q, long long* l,
                                         int n) {
  __shared__ double bins[8];
  const int t = threadIdx.x;
  if (t < 8) bins[t] = 0;
  __syncwarp();
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x) {
    const int x = v[i] >> 5;
    atomicAdd(&h[i % 5], __floats2half2_rn((float)x, x * 0.5f));
    atomicAdd(&b[i % 3], __floats2bfloat162_rn((float)(x & 1), 1.f));
    atomicAdd(&bins[i & 7], x * 0.25);
    atomicAdd(&f[(i * 7) % 11], (float)x);
    atomicAdd((unsigned long long*)&l[i & 1], (unsigned long long)(long long)x);
    if (x > 0) atomicAdd(&q[i % 2].y, 1.f);
    atomicMax(&l[2], (long long)x * i);
  }
  __syncwarp();
  if (t < 8) atomicAdd(&d[t], bins[t]);
}
