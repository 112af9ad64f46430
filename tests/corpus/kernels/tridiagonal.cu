// Tridiagonal systems: Thomas, cyclic reduction, parallel cyclic reduction, penta-diagonal.
typedef double real;

// Thomas, a system a thread, systems interleaved so that neighbours' loads are together.
extern "C" __global__ void thomas_interleaved(const real* __restrict__ a, const real* __restrict__ b,
                                              const real* __restrict__ c, real* __restrict__ d,
                                              real* __restrict__ work, int n, int systems, int pitch) {
  const int s = blockIdx.x * blockDim.x + threadIdx.x;
  if (s >= systems) return;
  real beta = 4.0 + b[s];
  real prev = d[s] / beta;
  d[s] = prev;
  size_t at = s;
  for (int i = 1; i < n; i++) {
    real upper = c[at];
    at += pitch;
    real g = upper / beta;
    work[at] = g;
    beta = 4.0 + b[at] - a[at] * g;
    prev = (d[at] - a[at] * prev) / beta;
    d[at] = prev;
  }
  for (int i = n - 2; i >= 0; i--) {
    real g = work[at];
    at -= pitch;
    prev = d[at] - g * prev;
    d[at] = prev;
  }
}

// The textbook again, but a system is contiguous and lives in local memory: strided global access.
template <int N>
__global__ void thomas_local(const float* a, const float* b, const float* c, const float* d, float* x, int systems) {
  int s = threadIdx.x + blockDim.x * blockIdx.x;
  if (s < systems) {
    const float *as = a + s * N, *bs = b + s * N, *cs = c + s * N, *ds = d + s * N;
    float cp[N], dp[N];
    cp[0] = cs[0] / (bs[0] + 3.0f);
    dp[0] = ds[0] / (bs[0] + 3.0f);
#pragma unroll 1
    for (int i = 1; i < N; ++i) {
      float m = 1.0f / (bs[i] + 3.0f - as[i] * cp[i - 1]);
      cp[i] = cs[i] * m;
      dp[i] = (ds[i] - as[i] * dp[i - 1]) * m;
    }
    float last = dp[N - 1];
    x[s * N + N - 1] = last;
#pragma unroll 1
    for (int i = N - 2; i >= 0; --i) x[s * N + i] = last = dp[i] - cp[i] * last;
  }
}

// Parallel cyclic reduction of any length, an equation a thread, four arrays in dynamic shared memory.
__global__ void pcr_block(const float* ga, const float* gb, const float* gc, const float* gd, float* gx) {
  extern __shared__ float sh[];
  const int n = blockDim.x, i = threadIdx.x, g = blockIdx.x * n + i;
  float *a = sh, *b = a + n, *c = b + n, *d = c + n;
  a[i] = i > 0 ? ga[g] : 0.f;
  b[i] = gb[g] + 3.f;
  c[i] = i < n - 1 ? gc[g] : 0.f;
  d[i] = gd[g];
  __syncthreads();
  for (int step = 1; step < n; step *= 2) {
    float na = 0.f, nb = b[i], nc = 0.f, nd = d[i];
    if (i - step >= 0) {
      const float k = a[i] / b[i - step];
      nb -= k * c[i - step];
      nd -= k * d[i - step];
      na = -k * a[i - step];
    }
    if (i + step < n) {
      const float k = c[i] / b[i + step];
      nb -= k * a[i + step];
      nd -= k * d[i + step];
      nc = -k * c[i + step];
    }
    __syncthreads();
    a[i] = na, b[i] = nb, c[i] = nc, d[i] = nd;
    __syncthreads();
  }
  gx[g] = d[i] / b[i];
}

// The same inside subgroups of W lanes, coefficients as one float4 a row, shuffles only.
template <int W>
__global__ void pcr_shuffle(const float4* rows, float* x, int n) {
  const int i = threadIdx.x & (W - 1);
  const int g = blockIdx.x * blockDim.x + threadIdx.x;
  float4 e = g < n ? rows[g] : make_float4(0, 0, 0, 0);
  e.y += 3.f;
  if (i == 0) e.x = 0;
  if (i == W - 1) e.z = 0;
#pragma unroll
  for (int h = 1; h < W; h <<= 1) {
    float ua = __shfl_up_sync(~0u, e.x, h, W), ub = __shfl_up_sync(~0u, e.y, h, W);
    float uc = __shfl_up_sync(~0u, e.z, h, W), ud = __shfl_up_sync(~0u, e.w, h, W);
    float da = __shfl_down_sync(~0u, e.x, h, W), db = __shfl_down_sync(~0u, e.y, h, W);
    float dc = __shfl_down_sync(~0u, e.z, h, W), dd = __shfl_down_sync(~0u, e.w, h, W);
    float k1 = i >= h ? e.x / ub : 0.f, k2 = i + h < W ? e.z / db : 0.f;
    e.y = e.y - k1 * uc - k2 * da;
    e.w = e.w - k1 * ud - k2 * dd;
    e.x = -k1 * ua;
    e.z = -k2 * dc;
  }
  if (g < n) x[g] = e.w / e.y;
}

// Cyclic reduction proper: half the threads at each level, strides that hit the same banks.
__global__ void cyclic_reduction(const float* ga, const float* gb, const float* gc, const float* gd, float* gx, int n) {
  __shared__ float a[128], b[128], c[128], d[128], x[128];
  const int t = threadIdx.x, off = blockIdx.x * n;
  for (int i = t; i < n; i += blockDim.x) {
    a[i] = i ? ga[off + i] : 0.f;
    b[i] = gb[off + i] + 3.f;
    c[i] = i + 1 < n ? gc[off + i] : 0.f;
    d[i] = gd[off + i];
  }
  int stride = 1, active = n / 2;
  for (; active > 1; active >>= 1) {
    __syncthreads();
    stride <<= 1;
    const int half = stride >> 1;
    if (t < active) {
      const int i = stride * t + stride - 1;
      const int l = i - half, r = i + half < n ? i + half : n - 1;
      const float k1 = a[i] / b[l];
      if (i + half < n) {
        const float k2 = c[i] / b[r];
        b[i] = b[i] - c[l] * k1 - a[r] * k2;
        d[i] = d[i] - d[l] * k1 - d[r] * k2;
        a[i] = -a[l] * k1;
        c[i] = -c[r] * k2;
      } else {
        b[i] -= c[l] * k1;
        d[i] -= d[l] * k1;
        a[i] = -a[l] * k1;
      }
    }
  }
  __syncthreads();
  if (t < 2) {
    const int p = stride - 1, q = 2 * stride - 1;
    const float det = b[p] * b[q] - c[p] * a[q];
    x[t ? q : p] = t ? (d[q] * b[p] - d[p] * a[q]) / det : (d[p] * b[q] - d[q] * c[p]) / det;
  }
  for (active = 2; active < n; active <<= 1) {
    __syncthreads();
    const int half = stride >> 1;
    if (t < active) {
      const int i = stride * t + half - 1;
      x[i] = i == half - 1 ? (d[i] - c[i] * x[i + half]) / b[i]
                           : (d[i] - a[i] * x[i - half] - c[i] * x[i + half]) / b[i];
    }
    stride >>= 1;
  }
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) gx[off + i] = x[i];
}
