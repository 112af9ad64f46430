// Linear algebra pieces.
__global__ void lu_small(float* a, int n,
                         int batch) {  // a block per matrix, no pivots, dominant diagonal
  extern __shared__ float m[];
  float* g = a + blockIdx.x * n * n;
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) m[i] = g[i] + (i / n == i % n ? n : 0);
  __syncthreads();
  for (int k = 0; k < n - 1; ++k) {
    for (int i = k + 1 + threadIdx.x; i < n; i += blockDim.x) m[i * n + k] /= m[k * n + k];
    __syncthreads();
    int w = n - k - 1;
    for (int e = threadIdx.x; e < w * w; e += blockDim.x) {
      int i = k + 1 + e / w, j = k + 1 + e % w;
      m[i * n + j] -= m[i * n + k] * m[k * n + j];
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n * n; i += blockDim.x) g[i] = m[i];
}
template <typename T>
__global__ void cholesky_warp(const T* in, T* out) {  // 32 x 32, a row per lane in registers
  int lane = threadIdx.x;
  const T* g = in + blockIdx.x * 1024;
  T r[32];
#pragma unroll
  for (int j = 0; j < 32; ++j)
    r[j] = (g[lane * 32 + j] + g[j * 32 + lane]) / 2 + (lane == j ? T(40) : T(0));
#pragma unroll
  for (int k = 0; k < 32; ++k) {
    T d = sqrt(__shfl_sync(~0u, r[k], k));
    r[k] = lane == k ? d : r[k] / d;
#pragma unroll
    for (int j = k + 1; j < 32; ++j) {
      T o = __shfl_sync(~0u, r[k], j);
      r[j] -= r[k] * o;
    }
  }
#pragma unroll
  for (int j = 0; j < 32; ++j) out[blockIdx.x * 1024 + lane * 32 + j] = j <= lane ? r[j] : T(0);
}
template __global__ void cholesky_warp<float>(const float*, float*);
template __global__ void cholesky_warp<double>(const double*, double*);
__device__ float block_sum(float v, float* red) {
  for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  if ((threadIdx.x & 31) == 0) red[threadIdx.x >> 5] = v;
  __syncthreads();
  if (threadIdx.x < 32) {
    v = threadIdx.x < blockDim.x / 32 ? red[threadIdx.x] : 0.f;
    for (int o = 4; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
    if (threadIdx.x == 0) red[0] = v;
  }
  __syncthreads();
  float s = red[0];
  __syncthreads();
  return s;
}
__global__ void householder(float* a, int rows, int cols) {  // a thread per row
  __shared__ float red[8];
  extern __shared__ float v[];
  float* g = a + blockIdx.x * rows * cols;
  int t = threadIdx.x;
  for (int k = 0; k < cols; ++k) {
    float x = t >= k && t < rows ? g[t * cols + k] : 0;
    float norm = sqrtf(block_sum(x * x, red));
    if (t == k) x += x < 0 ? -norm : norm;
    float vv = block_sum(x * x, red);
    if (vv == 0) continue;
    v[t] = x;
    for (int j = k; j < cols; ++j) {
      float y = t < rows ? g[t * cols + j] : 0;
      float d = block_sum(x * y, red);
      if (t < rows) g[t * cols + j] = y - 2 * d / vv * v[t];
    }
  }
}
__global__ void jacobi(const float* in, const float* rhs, float* out, int w, int h, float* change) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  float d = 0;
  if (x > 0 && y > 0 && x < w - 1 && y < h - 1) {
    float v = 0.25f * (in[y * w + x - 1] + in[y * w + x + 1] + in[(y - 1) * w + x] +
                       in[(y + 1) * w + x] - rhs[y * w + x]);
    d = fabsf(v - in[y * w + x]);
    out[y * w + x] = v;
  }
  for (int o = 16; o; o /= 2) d = fmaxf(d, __shfl_xor_sync(~0u, d, o));
  if (((threadIdx.y * blockDim.x + threadIdx.x) & 31) == 0)
    atomicMax((int*)change, __float_as_int(d));
}
__global__ void red_black(double* u, const double* f, int w, int h, int colour) {
  int y = blockIdx.y * blockDim.y + threadIdx.y + 1,
      x = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1 + ((y + colour) & 1);
  if (x < w - 1 && y < h - 1)
    u[y * w + x] += 1.5 * (0.25 * (u[y * w + x - 1] + u[y * w + x + 1] + u[(y - 1) * w + x] +
                                   u[(y + 1) * w + x] - f[y * w + x]) -
                           u[y * w + x]);
}
__global__ void pcr(const float* a, const float* b, const float* c, const float* d, float* x,
                    int n) {  // n = blockDim <= 256
  __shared__ float A[2][256], B[2][256], C[2][256], D[2][256];
  int t = threadIdx.x, g = blockIdx.x * n + t, p = 0;
  A[0][t] = t ? a[g] : 0;
  B[0][t] = b[g] + 4;
  C[0][t] = t + 1 < n ? c[g] : 0;
  D[0][t] = d[g];
  __syncthreads();
  for (int s = 1; s < n; s <<= 1, p ^= 1) {
    float na = 0, nc = 0, nb = B[p][t], nd = D[p][t];
    if (t >= s) {
      float k = A[p][t] / B[p][t - s];
      na = -k * A[p][t - s];
      nb -= k * C[p][t - s];
      nd -= k * D[p][t - s];
    }
    if (t + s < n) {
      float k = C[p][t] / B[p][t + s];
      nc = -k * C[p][t + s];
      nb -= k * A[p][t + s];
      nd -= k * D[p][t + s];
    }
    A[p ^ 1][t] = na;
    B[p ^ 1][t] = nb;
    C[p ^ 1][t] = nc;
    D[p ^ 1][t] = nd;
    __syncthreads();
  }
  x[g] = D[p][t] / B[p][t];
}
__global__ void cg_step(const float* p, const float* ap, float* x, float* r, float* rr, float alpha,
                        int n) {
  __shared__ float red[8];
  float s = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    x[i] += alpha * p[i];
    float v = r[i] - alpha * ap[i];
    r[i] = v;
    s += v * v;
  }
  s = block_sum(s, red);
  if (threadIdx.x == 0) atomicAdd(rr, s);
}
__global__ void csr_spmv_vector(const unsigned* lens, const unsigned* cols, const float* vals,
                                const float* x, float* y, int rows) {  // 8 lanes per row
  int row = (blockIdx.x * blockDim.x + threadIdx.x) >> 3, l = threadIdx.x & 7;
  float s = 0;
  if (row < rows)
    for (int e = l, m = lens[row] % 24; e < m; e += 8)
      s += vals[row * 24 + e] * x[cols[row * 24 + e] % rows];
  for (int o = 4; o; o >>= 1) s += __shfl_down_sync(~0u, s, o, 8);
  if (row < rows && l == 0) y[row] = s;
}
__global__ void solve_lower(const float* L, float* b, int n) {  // one warp, column by column
  int lane = threadIdx.x;
  for (int k = 0; k < n; ++k) {
    float v = b[k] / (L[k * n + k] + 3.f);
    __syncwarp();
    for (int i = k + 1 + lane; i < n; i += 32) b[i] -= L[i * n + k] * v;
    if (lane == 0) b[k] = v;
    __syncwarp();
  }
}
__global__ void eigen3(const float* m, float* out,
                       int n) {  // Jacobi rotations until small, per thread
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float a[3][3];
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c <= r; ++c) a[r][c] = a[c][r] = m[(r * 3 + c) * n + i];
  int sweeps = 0;
  for (; sweeps < 12; ++sweeps) {
    int p = 0, q = 1;
    if (fabsf(a[0][2]) > fabsf(a[p][q])) q = 2;
    if (fabsf(a[1][2]) > fabsf(a[p][q])) {
      p = 1;
      q = 2;
    }
    if (fabsf(a[p][q]) < 1e-3f) break;
    float th = (a[q][q] - a[p][p]) / (2 * a[p][q]),
          t = copysignf(1.f, th) / (fabsf(th) + sqrtf(th * th + 1)), c = rsqrtf(t * t + 1),
          s = t * c;
    for (int k = 0; k < 3; ++k) {
      float x = a[k][p], y = a[k][q];
      a[k][p] = c * x - s * y;
      a[k][q] = s * x + c * y;
    }
    for (int k = 0; k < 3; ++k) {
      float x = a[p][k], y = a[q][k];
      a[p][k] = c * x - s * y;
      a[q][k] = s * x + c * y;
    }
  }
  out[i] = fmaxf(a[0][0], fmaxf(a[1][1], a[2][2])) + sweeps * 100;
}
