// Batched small dense linear algebra, several authors' habits in one file.

// ---------------------------------------------------------------------------------------------
// Householder QR, one block a matrix (m x n row-major, m >= n).  Dynamic shared memory holds the
// matrix with an odd pitch, the reflector and the partial sums of the warps.
// ---------------------------------------------------------------------------------------------
template <typename T>
__device__ __forceinline__ T block_sum(T v, T* scratch) {
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  if ((threadIdx.x & 31) == 0) scratch[threadIdx.x >> 5] = v;
  __syncthreads();
  T total = 0;
  for (unsigned w = 0; w < (blockDim.x + 31) / 32; ++w) total += scratch[w];
  __syncthreads();
  return total;
}

template <typename T>
__global__ void __launch_bounds__(64) qr_householder(T* __restrict__ A, T* __restrict__ R, T* __restrict__ tau,
                                                     int m, int n) {
  extern __shared__ __align__(16) unsigned char raw[];
  const int pitch = n | 1;
  T* const s = reinterpret_cast<T*>(raw);
  T* const v = s + m * pitch;
  T* const scratch = v + m;
  T* const mine = A + (size_t)blockIdx.x * m * n;
  for (int e = threadIdx.x; e < m * n; e += blockDim.x) s[e / n * pitch + e % n] = mine[e] + (e / n == e % n ? T(2) : T(0));
  __syncthreads();
  for (int k = 0; k < n; ++k) {
    T part = 0;
    for (int i = k + threadIdx.x; i < m; i += blockDim.x) part += s[i * pitch + k] * s[i * pitch + k];
    const T norm = sqrt(block_sum(part, scratch));
    const T head = s[k * pitch + k];
    const T alpha = head > 0 ? -norm : norm;
    for (int i = k + threadIdx.x; i < m; i += blockDim.x) v[i] = s[i * pitch + k] - (i == k ? alpha : T(0));
    __syncthreads();
    const T beta = T(1) / (alpha * (alpha - head));
    for (int j = k + threadIdx.x; j < n; j += blockDim.x) {
      T dot = 0;
      for (int i = k; i < m; ++i) dot += v[i] * s[i * pitch + j];
      dot *= beta;
      for (int i = k; i < m; ++i) s[i * pitch + j] -= dot * v[i];
    }
    if (threadIdx.x == 0) tau[blockIdx.x * n + k] = beta;
    __syncthreads();
  }
  for (int e = threadIdx.x; e < n * n; e += blockDim.x) {
    const int i = e / n, j = e - i * n;
    R[(size_t)blockIdx.x * n * n + e] = j >= i ? s[i * pitch + j] : T(0);
  }
}

// ---------------------------------------------------------------------------------------------
// Cyclic Jacobi, one symmetric N x N matrix a thread in local memory; stops when a rotation would
// do nothing (an exact comparison), so the lanes leave the sweeps at different times.
// ---------------------------------------------------------------------------------------------
template <int N>
__global__ void jacobi_eigen(const double* in, double* eig, int* sweeps_out, int count) {
  int id = blockIdx.x * blockDim.x + threadIdx.x;
  if (id >= count) return;
  double a[N][N];
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      int lo = i < j ? i : j, hi = i < j ? j : i;
      a[i][j] = in[(lo * N + hi) * count + id];
    }
  int sweep = 0;
  for (; sweep < 12; sweep++) {
    double off = 0;
    for (int p = 0; p < N; p++)
      for (int q = p + 1; q < N; q++) off += a[p][q] * a[p][q];
    if (off < 1e-22) break;
    for (int p = 0; p < N - 1; p++)
      for (int q = p + 1; q < N; q++) {
        if (fabs(a[p][q]) < 1e-40) continue;
        double theta = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
        double t = (theta < 0 ? -1.0 : 1.0) / (fabs(theta) + sqrt(theta * theta + 1.0));
        double c = 1.0 / sqrt(t * t + 1.0), s = t * c;
#pragma unroll 1
        for (int k = 0; k < N; k++) {
          double x = a[k][p], y = a[k][q];
          a[k][p] = c * x - s * y;
          a[k][q] = s * x + c * y;
        }
#pragma unroll 1
        for (int k = 0; k < N; k++) {
          double x = a[p][k], y = a[q][k];
          a[p][k] = c * x - s * y;
          a[q][k] = s * x + c * y;
        }
      }
  }
  // insertion sort of the diagonal
  double d[N];
  for (int i = 0; i < N; i++) {
    double x = a[i][i];
    int j = i;
    while (j > 0 && d[j - 1] > x) { d[j] = d[j - 1]; --j; }
    d[j] = x;
  }
  for (int i = 0; i < N; i++) eig[i * count + id] = d[i];
  sweeps_out[id] = sweep;
}

// ---------------------------------------------------------------------------------------------
// LU with partial pivoting and the solution of A x = b; a warp a system, several warps a block.
// ---------------------------------------------------------------------------------------------
template <int N, int WARPS>
__global__ void lu_pivot_solve(const double* A, const double* b, double* x, unsigned char* perm, int systems) {
  __shared__ double m[WARPS][N][N + 1];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const int sys = blockIdx.x * WARPS + warp;
  if (sys >= systems) return;
  double(*s)[N + 1] = m[warp];
  for (int e = lane; e < N * (N + 1); e += 32) {
    const int r = e / (N + 1), c = e % (N + 1);
    s[r][c] = c < N ? A[(sys * N + r) * N + c] : b[sys * N + r];
  }
  __syncwarp();
  for (int k = 0; k < N; ++k) {
    double best = -1;
    int row = k;
    for (int r = k + lane; r < N; r += 32)
      if (fabs(s[r][k]) > best) { best = fabs(s[r][k]); row = r; }
    for (int o = 16; o > 0; o /= 2) {
      const double other = __shfl_down_sync(~0u, best, o);
      const int other_row = __shfl_down_sync(~0u, row, o);
      if (other > best || (other == best && other_row < row)) { best = other; row = other_row; }
    }
    row = __shfl_sync(~0u, row, 0);
    if (lane == 0) perm[sys * N + k] = (unsigned char)row;
    if (row != k)
      for (int c = k + lane; c <= N; c += 32) {
        const double t = s[k][c];
        s[k][c] = s[row][c];
        s[row][c] = t;
      }
    __syncwarp();
    for (int r = k + 1; r < N; ++r) {
      const double f = s[r][k] / s[k][k];
      __syncwarp();
      for (int c = k + lane; c <= N; c += 32) s[r][c] = fma(-f, s[k][c], s[r][c]);
    }
    __syncwarp();
  }
  for (int k = N - 1; k >= 0; --k) {
    const double v = s[k][N] / s[k][k];
    if (lane == 0) x[sys * N + k] = v;
    __syncwarp();
    if (lane < k) s[lane][N] -= v * s[lane][k];
    __syncwarp();
  }
}

// ---------------------------------------------------------------------------------------------
// Gauss-Jordan inverse of 6 x 6 matrices in registers; six lanes a matrix, five matrices a warp,
// a lane holds a column; lanes 30 and 31 only take part in the shuffles.
// ---------------------------------------------------------------------------------------------
__global__ void inverse6(const float* __restrict__ a, float* __restrict__ inv, int count) {
  const int lane = threadIdx.x & 31;
  const int in_warp = min(lane / 6, 4);
  const int col = lane - in_warp * 6;  // 6 and 7 for the two that are left over
  const int mat = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 5 + in_warp;
  const bool works = col < 6 && mat < count;
  float c[6], e[6];
#pragma unroll
  for (int r = 0; r < 6; ++r) {
    c[r] = works ? a[mat * 36 + r * 6 + col] + (r == col ? 4.f : 0.f) : (r == col % 6 ? 1.f : 0.f);
    e[r] = r == col ? 1.f : 0.f;
  }
#pragma unroll
  for (int k = 0; k < 6; ++k) {
    float pivot[6];
#pragma unroll
    for (int r = 0; r < 6; ++r) pivot[r] = __shfl_sync(0xffffffff, c[r], in_warp * 6 + k);
    const float scale = 1.0f / pivot[k];
    c[k] *= scale;
    e[k] *= scale;
#pragma unroll
    for (int r = 0; r < 6; ++r)
      if (r != k) {
        c[r] -= pivot[r] * c[k];
        e[r] -= pivot[r] * e[k];
      }
  }
  if (works)
    for (int r = 0; r < 6; ++r) inv[mat * 36 + r * 6 + col] = e[r];
}

// ---------------------------------------------------------------------------------------------
// exp(A) by scaling and squaring, order 8 Taylor, a matrix a thread, the products not inlined.
// ---------------------------------------------------------------------------------------------
struct Mat3 { double m[9]; };

__device__ __noinline__ void mat3_mul(const Mat3& a, const Mat3& b, Mat3& c) {
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double t = 0;
      for (int k = 0; k < 3; ++k) t += a.m[3 * i + k] * b.m[3 * k + j];
      c.m[3 * i + j] = t;
    }
}

__global__ void expm3(const Mat3* in, Mat3* out, unsigned char* squarings, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    Mat3 a = in[i];
    double norm = 0;
    for (int r = 0; r < 3; ++r) {
      double s = 0;
      for (int c = 0; c < 3; ++c) s += fabs(a.m[3 * r + c] *= (double)(1 + (i * 7) % 11));
      norm = fmax(norm, s);
    }
    int e;
    frexp(norm, &e);
    const int sq = max(e + 2, 0);
    const double scale = ldexp(1.0, -sq);
    for (int k = 0; k < 9; ++k) a.m[k] *= scale;
    Mat3 sum, term, tmp;
    for (int k = 0; k < 9; ++k) sum.m[k] = term.m[k] = k % 4 == 0;
    for (int order = 1; order <= 8; ++order) {
      mat3_mul(term, a, tmp);
      for (int k = 0; k < 9; ++k) sum.m[k] += term.m[k] = tmp.m[k] / order;
    }
    for (int q = 0; q < sq; ++q) {
      mat3_mul(sum, sum, tmp);
      sum = tmp;
    }
    out[i] = sum;
    squarings[i] = sq;
  }
}

// ---------------------------------------------------------------------------------------------
// Conjugate gradient on the 5-point operator of a g x g grid, a block a right-hand side, vectors in
// dynamic shared memory with a frame of zeros, a given number of iterations.
// ---------------------------------------------------------------------------------------------
__global__ void cg_poisson(const float* rhs, float* sol, float* residual, int g, int iterations) {
  extern __shared__ float dyn[];
  const int w = g + 2, cells = w * w;
  float* p = dyn;
  float* r = p + cells;
  float* x = r + g * g;
  float* q = x + g * g;
  float* part = q + g * g;
  const int t = threadIdx.y * blockDim.x + threadIdx.x, nt = blockDim.x * blockDim.y;
  auto dot = [&](float v) -> float {
    for (int o = 1; o < 32; o <<= 1) v += __shfl_xor_sync(0xffffffff, v, o);
    if (t % 32 == 0) part[t / 32] = v;
    __syncthreads();
    float s = 0;
    for (int i = 0; i < nt / 32; ++i) s += part[i];
    __syncthreads();
    return s;
  };
  for (int i = t; i < cells; i += nt) p[i] = 0;
  __syncthreads();
  float acc = 0;
  for (int i = t; i < g * g; i += nt) {
    float b = rhs[blockIdx.x * g * g + i];
    r[i] = b;
    x[i] = 0;
    p[(i / g + 1) * w + i % g + 1] = b;
    acc += b * b;
  }
  float rr = dot(acc);
  for (int it = 0; it < iterations; ++it) {
    acc = 0;
    for (int i = t; i < g * g; i += nt) {
      int c = (i / g + 1) * w + i % g + 1;
      float v = 4.f * p[c] - p[c - 1] - p[c + 1] - p[c - w] - p[c + w];
      q[i] = v;
      acc += v * p[c];
    }
    float alpha = rr / dot(acc);
    acc = 0;
    for (int i = t; i < g * g; i += nt) {
      int c = (i / g + 1) * w + i % g + 1;
      x[i] += alpha * p[c];
      float v = r[i] -= alpha * q[i];
      acc += v * v;
    }
    float next = dot(acc);
    float beta = next / rr;
    rr = next;
    for (int i = t; i < g * g; i += nt) {
      int c = (i / g + 1) * w + i % g + 1;
      p[c] = r[i] + beta * p[c];
    }
    __syncthreads();
  }
  for (int i = t; i < g * g; i += nt) sol[blockIdx.x * g * g + i] = x[i];
  if (t == 0) residual[blockIdx.x] = rr;
}
