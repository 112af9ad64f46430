// small numerics: transforms, factorisations, integration, special functions
typedef unsigned u32; typedef unsigned long long u64; typedef unsigned char u8;

// radix-2 in place in shared memory (bit reversal on load), N a power of two
template<int LOG> __global__ void fft2(const float2* __restrict__ in, float2* out, int inverse)
{
  constexpr int N = 1 << LOG; __shared__ float re[N], im[N];
  for (int i = threadIdx.x; i < N; i += blockDim.x) { float2 v = in[blockIdx.x * N + i]; int r = __brev(i) >> (32 - LOG); re[r] = v.x; im[r] = v.y; }
  for (int half = 1; half < N; half *= 2) {
    __syncthreads();
    for (int k = threadIdx.x; k < N / 2; k += blockDim.x) {
      int j = k & (half - 1), a = (k - j) * 2 + j, b = a + half; float s, c; sincospif((inverse ? 1.f : -1.f) * j / half, &s, &c);
      float x = re[b] * c - im[b] * s, y = re[b] * s + im[b] * c;
      re[b] = re[a] - x; im[b] = im[a] - y; re[a] += x; im[a] += y;
    }
  }
  __syncthreads();
  for (int i = threadIdx.x; i < N; i += blockDim.x) out[blockIdx.x * N + i] = make_float2(re[i] / (inverse ? N : 1), im[i] / (inverse ? N : 1));
}

// radix-4 stockham, 256 points, 64 threads
extern "C" __global__ void fft4(const float2* __restrict__ in, float2* out)
{
  __shared__ float2 s[2][256]; int t = threadIdx.x, side = 0;
  for (int i = t; i < 256; i += 64) s[0][i] = in[blockIdx.x * 256 + i];
  for (int p = 1; p < 256; p *= 4) {
    __syncthreads();
    int k = t & (p - 1); float2 v[4];
    #pragma unroll
    for (int r = 0; r < 4; ++r) { float2 a = s[side][t + 64 * r]; float sn, cs; __sincosf(-1.57079632679f * r * k / p, &sn, &cs); v[r] = make_float2(a.x * cs - a.y * sn, a.x * sn + a.y * cs); }
    float2 a = {v[0].x + v[2].x, v[0].y + v[2].y}, b = {v[0].x - v[2].x, v[0].y - v[2].y}, c = {v[1].x + v[3].x, v[1].y + v[3].y}, d = {v[1].y - v[3].y, v[3].x - v[1].x};
    int o = (t - k) * 4 + k; float2* w = s[side ^ 1];
    w[o] = {a.x + c.x, a.y + c.y}; w[o + p] = {b.x + d.x, b.y + d.y}; w[o + 2 * p] = {a.x - c.x, a.y - c.y}; w[o + 3 * p] = {b.x - d.x, b.y - d.y};
    side ^= 1;
  }
  __syncthreads();
  for (int i = t; i < 256; i += 64) out[blockIdx.x * 256 + i] = s[side][i];
}

// Gauss-Jordan with partial pivoting in shared memory
template<typename T> __global__ void invert(const T* __restrict__ in, T* out, int n)
{
  extern __shared__ double raw[]; T* m = (T*)raw; __shared__ int pivot; int w = 2 * n, tx = threadIdx.x, ty = threadIdx.y;
  for (int r = ty; r < n; r += blockDim.y) for (int c = tx; c < w; c += blockDim.x) m[r * w + c] = c < n ? in[(blockIdx.x * n + r) * n + c] + (r == c && r % 3 ? (T)2 : (T)0) : (T)(c - n == r);
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    if (tx == 0 && ty == 0) { int best = k; for (int r = k + 1; r < n; ++r) if (fabs(m[r * w + k]) > fabs(m[best * w + k])) best = r; pivot = best; }
    __syncthreads();
    int p = pivot;
    if (p != k && ty == 0) for (int c = tx; c < w; c += blockDim.x) { T s = m[k * w + c]; m[k * w + c] = m[p * w + c]; m[p * w + c] = s; }
    __syncthreads();
    T d = m[k * w + k]; __syncthreads();
    if (ty == 0) for (int c = tx; c < w; c += blockDim.x) m[k * w + c] /= d;
    __syncthreads();
    for (int r0 = 0; r0 < n; r0 += blockDim.y) {
      int r = r0 + ty; T f = r < n && r != k ? m[r * w + k] : (T)0;
      __syncthreads();
      if (r < n && f != (T)0) for (int c = tx; c < w; c += blockDim.x) m[r * w + c] -= f * m[k * w + c];
      __syncthreads();
    }
  }
  for (int r = ty; r < n; r += blockDim.y) for (int c = tx; c < n; c += blockDim.x) out[(blockIdx.x * n + r) * n + c] = m[r * w + n + c];
}

// Cholesky per thread, matrix in registers / local memory
template<int N> __global__ void cholesky(const float* __restrict__ in, float* out, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float a[N][N];
  #pragma unroll
  for (int i = 0; i < N; ++i)
    #pragma unroll
    for (int j = 0; j <= i; ++j) a[i][j] = in[(i * (i + 1) / 2 + j) * n + t] * 0.5f + (i == j ? N : 0);
  bool bad = false;
  #pragma unroll
  for (int j = 0; j < N; ++j) {
    float d = a[j][j];
    #pragma unroll
    for (int k = 0; k < j; ++k) d -= a[j][k] * a[j][k];
    if (d <= 0.f) { bad = true; break; }
    d = sqrtf(d); a[j][j] = d;
    #pragma unroll
    for (int i = j + 1; i < N; ++i) { float s = a[i][j]; 
      #pragma unroll
      for (int k = 0; k < j; ++k) s -= a[i][k] * a[j][k];
      a[i][j] = s / d; }
  }
  for (int i = 0; i < N; ++i) out[t * N + i] = bad ? -1.f : a[i][N - 1 - i > i ? i : N - 1 - i];
}

// LU with pivoting, one warp per matrix, a row per lane, pivot by shuffles
extern "C" __global__ void lu_warp(const double* __restrict__ in, double* out, int* order, int n, int matrices)
{
  __shared__ double m[4][16][17];
  int warp = threadIdx.x >> 5, lane = threadIdx.x & 31, which = blockIdx.x * 4 + warp;
  if (which >= matrices) return;
  for (int r = 0; r < n; ++r) if (lane < n) m[warp][r][lane] = in[(which * n + r) * n + lane];
  int mine = lane; __syncwarp();
  for (int k = 0; k < n; ++k) {
    double v = lane >= k && lane < n ? fabs(m[warp][lane][k]) : -1.0; int who = lane;
    for (int d = 16; d; d >>= 1) { double o = __shfl_xor_sync(~0u, v, d); int w = __shfl_xor_sync(~0u, who, d); if (o > v || (o == v && w < who)) { v = o; who = w; } }
    if (v < 1e-12) break;
    if (who != k) {
      if (lane < n) { double s = m[warp][k][lane]; m[warp][k][lane] = m[warp][who][lane]; m[warp][who][lane] = s; }
      int a = __shfl_sync(~0u, mine, k), b = __shfl_sync(~0u, mine, who); if (lane == k) mine = b; else if (lane == who) mine = a;
    }
    __syncwarp();
    if (lane > k && lane < n) { double f = m[warp][lane][k] / m[warp][k][k]; m[warp][lane][k] = f; for (int c = k + 1; c < n; ++c) m[warp][lane][c] -= f * m[warp][k][c]; }
    __syncwarp();
  }
  if (lane < n) { order[which * n + lane] = mine; for (int r = 0; r < n; ++r) out[(which * n + r) * n + lane] = m[warp][r][lane]; }
}

// QR by Householder, one matrix per thread, dynamic size in local memory
extern "C" __global__ void qr_thread(const float* __restrict__ in, float* out, int rows, int columns, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float a[8 * 6];
  for (int i = 0; i < rows * columns; ++i) a[i] = in[t * rows * columns + i];
  for (int k = 0; k < columns && k < rows - 1; ++k) {
    float norm = 0; for (int i = k; i < rows; ++i) norm = hypotf(norm, a[i * columns + k]);
    if (norm == 0.f) continue;
    if (a[k * columns + k] > 0) norm = -norm;
    float u0 = a[k * columns + k] - norm, b = -1.f / (norm * u0);
    for (int c = k + 1; c < columns; ++c) {
      float s = u0 * a[k * columns + c]; for (int i = k + 1; i < rows; ++i) s += a[i * columns + k] * a[i * columns + c];
      s *= b; a[k * columns + c] -= s * u0; for (int i = k + 1; i < rows; ++i) a[i * columns + c] -= s * a[i * columns + k];
    }
    a[k * columns + k] = norm; for (int i = k + 1; i < rows; ++i) a[i * columns + k] = 0;
  }
  for (int i = 0; i < rows * columns; ++i) out[t * rows * columns + i] = a[i];
}

// cyclic reduction
template<typename T> __global__ void cyclic(const T* __restrict__ rhs, T* x, int n)
{
  extern __shared__ double rawc[]; T *a = (T*)rawc, *b = a + n, *c = b + n, *d = c + n; int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) { a[i] = i ? (T)-1 : (T)0; c[i] = i < n - 1 ? (T)-0.75 : (T)0; b[i] = (T)2.5 + (T)(i % 3) / 8; d[i] = rhs[blockIdx.x * n + i]; }
  __syncthreads();
  int s = 1;
  for (; s < n; s *= 2) {
    for (int i = (t + 1) * 2 * s - 1; i < n; i += blockDim.x * 2 * s) {
      T k1 = a[i] / b[i - s], k2 = i + s < n ? c[i] / b[i + s] : (T)0;
      b[i] -= c[i - s] * k1; d[i] -= d[i - s] * k1; a[i] = -a[i - s] * k1;
      if (i + s < n) { b[i] -= a[i + s] * k2; d[i] -= d[i + s] * k2; c[i] = -c[i + s] * k2; } else c[i] = 0;
    }
    __syncthreads();
  }
  for (s /= 2; s >= 1; s /= 2) {
    if (s * 4 >= n && t == 0 && s * 2 - 1 < n && s * 2 >= (n + 1) / 2) d[s * 2 - 1] = d[s * 2 - 1] / b[s * 2 - 1], b[s * 2 - 1] = 1, a[s * 2 - 1] = c[s * 2 - 1] = 0;
    __syncthreads();
    for (int i = s - 1 + t * 2 * s; i < n; i += blockDim.x * 2 * s) {
      T v = d[i]; if (i >= s) v -= a[i] * d[i - s]; if (i + s < n) v -= c[i] * d[i + s];
      d[i] = v / b[i];
    }
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) x[blockIdx.x * n + i] = d[i];
}

// adaptive Runge-Kutta on a pendulum with friction: number of steps depends on the data
extern "C" __global__ void rk(const float* __restrict__ start, float2* out, int* steps, int n, float tol)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float t = 0, h = 0.1f; float2 y = {start[i] * 3.f, start[n - 1 - i]}; int k = 0;
  auto f = [](float2 v) { return make_float2(v.y, -sinf(v.x) - 0.1f * v.y); };
  auto step = [&](float2 v, float h) {
    float2 a = f(v), b = f({v.x + h / 2 * a.x, v.y + h / 2 * a.y}), c = f({v.x + h / 2 * b.x, v.y + h / 2 * b.y}), d = f({v.x + h * c.x, v.y + h * c.y});
    return make_float2(v.x + h / 6 * (a.x + 2 * b.x + 2 * c.x + d.x), v.y + h / 6 * (a.y + 2 * b.y + 2 * c.y + d.y)); };
  while (t < 1.5f && k < 60) {
    h = fminf(h, 1.5f - t); float2 one = step(y, h), two = step(step(y, h / 2), h / 2);
    float e = fmaxf(fabsf(one.x - two.x), fabsf(one.y - two.y)); ++k;
    if (e > tol) { h *= 0.5f; continue; }
    t += h; y = two; if (e < tol / 32) h *= 2;
  }
  out[i] = y; steps[i] = k;
}

// double special functions chosen by a switch
extern "C" __global__ void special64(const double* __restrict__ in, double* out, int n, int shift)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  double x = in[t], r;
  switch ((t >> shift) % 12) {
    case 0: r = exp(x * 30); break; case 1: r = log(fabs(x)) + log1p(x * 0.5); break; case 2: r = sin(x * 1e3); break; case 3: r = pow(fabs(x) + 0.1, x * 7); break;
    case 4: r = erf(x * 2) + erfc(x); break; case 5: r = lgamma(x * 9) ; break; case 6: r = atan2(x, 0.3 - x); break; case 7: r = cbrt(x) + rsqrt(x * x); break;
    case 8: r = fmod(x * 1e9, 0.37) ; break; case 9: r = tgamma(x * 4 + 4.5); break; case 10: r = j0(x * 12) ; break; default: r = sinh(x) * acosh(1 + x * x) + tan(x) / (x + 2);
  }
  if (isnan(r)) r = -1; else if (isinf(r)) r = copysign(2.0, r);
  out[t] = r;
}

extern "C" __global__ void special32(const float* __restrict__ in, float* out, int n, int stride)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float x = in[t], y = in[(t * stride + 1) % n], r = 0;
  r += atan2f(y, x); r += powf(fabsf(x), y * 3); r += fmodf(x * 1000, fabsf(y) + 0.01f);
  if (x > 0) r += erff(x) + lgammaf(x * 5 + 0.1f); else r -= erfcf(y) * expm1f(x);
  if (y * x < 0.25f) r += remainderf(x * 77, y + 2) + cosf(x * 200000.f) ; r += ldexpf(x, (int)(y * 9)) + asinf(y) - acoshf(1.5f + x);
  int e; r += frexpf(y * 1e-3f, &e) + e + rintf(x * 9) + truncf(y * 9) + log2f(fabsf(y) + 1e-9f) + exp10f(x) + cbrtf(y) + norm3df(x, y, r) + normcdff(x);
  out[t] = r;
}

// subnormal numbers: halving until zero, comparing, converting
extern "C" __global__ void subnormals(const float* __restrict__ in, float* out, int* counts, int n)
{
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t >= n) return;
  float v = in[t] * 1e-37f, s = 0; int k = 0;
  while (v != 0.f && k < 40) { s += v; v *= (t & 1) ? 0.5f : 0.37f; ++k; if (v * 1e20f * 1e20f < 1e-4f && (t & 2)) break; }
  float q = v / (s + 1e-40f), r = sqrtf(fabsf(s)); double d = (double)s * 1e-280; long long bits = __double_as_longlong(d);
  out[t] = s + q + r + (bits >> 52); counts[t] = k + (__float_as_int(s) & 0x7f800000 ? 0 : 1000) + __float2int_rn(s * 1e38f) * 10000;
}
