// Triangular matrices, and many small ones.

// B := L B, lower triangle with its diagonal, tiles above the diagonal are skipped. 16 x 16.
extern "C" __global__ void trmm_lower(const float* L, const float* B, float* C, int n, int m) {
  __shared__ float l[16][16 + 1], b[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y, row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  float sum = 0.0f;
  for (int t = 0; t <= (int)blockIdx.y; ++t) {
    const int k = t * 16 + tx;
    l[ty][tx] = k <= row && row < n ? L[row * n + k] : 0.0f;
    b[ty][tx] = t * 16 + ty < n && col < m ? B[(t * 16 + ty) * m + col] : 0.0f;
    __syncthreads();
    const int end = t == (int)blockIdx.y ? ty + 1 : 16;
    for (int q = 0; q < end; ++q) sum += l[ty][q] * b[q][tx];
    __syncthreads();
  }
  if (row < n && col < m) C[row * m + col] = sum;
}

// C := A A^T, only tiles of the lower triangle, one tile to a block of a 1-D grid; 32 x 8, column of four each.
extern "C" __global__ void syrk_lower(const float* A, float* C, int n, int k) {
  __shared__ float a[32][33], b[32][33];
  int by = (int)((sqrtf(8.0f * blockIdx.x + 1.0f) - 1.0f) * 0.5f);
  while ((by + 1) * (by + 2) / 2 <= (int)blockIdx.x) ++by;
  while (by * (by + 1) / 2 > (int)blockIdx.x) --by;
  const int bx = blockIdx.x - by * (by + 1) / 2, tx = threadIdx.x, ty = threadIdx.y;
  float sum[4] = {};
  for (int p = 0; p < k; p += 32) {
    for (int r = ty; r < 32; r += 8) {
      a[r][tx] = A[(by * 32 + r) * k + p + tx];
      b[r][tx] = bx == by ? 0.0f : A[(bx * 32 + r) * k + p + tx];
    }
    __syncthreads();
    const float(*other)[33] = bx == by ? a : b;
    for (int q = 0; q < 32; ++q) {
      const float v = other[tx][q];
#pragma unroll
      for (int i = 0; i < 4; ++i) sum[i] += a[ty + 8 * i][q] * v;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    const int row = by * 32 + ty + 8 * i, col = bx * 32 + tx;
    if (col <= row) C[row * n + col] = sum[i];
  }
}

// L X = B for 24 right sides at once: a warp to a side, the lanes hold x; pivots go round by shuffles.
extern "C" __global__ void trsm_warp(const double* L, double* B, int n, int sides) {
  extern __shared__ double low[];  // n x (n + 1)
  const int lane = threadIdx.x, warp = threadIdx.y, t = warp * 32 + lane;
  for (int i = t; i < n * n; i += 32 * blockDim.y) low[i / n * (n + 1) + i % n] = i % n == i / n ? 2.0 + fabs(L[i]) : L[i] * 0.125;
  __syncthreads();
  const int side = blockIdx.x * blockDim.y + warp;
  if (side >= sides) return;
  double x = lane < n ? B[lane * sides + side] : 0.0;
  for (int j = 0; j < n; ++j) {
    const double pivot = __shfl_sync(0xffffffffu, x, j) / low[j * (n + 1) + j];
    if (lane == j) x = pivot;
    else if (lane > j && lane < n) x -= low[lane * (n + 1) + j] * pivot;
  }
  if (lane < n) B[lane * sides + side] = x;
}

// 3 x 3 inverses, one to a thread, array of matrices.
extern "C" __global__ void inverse_3x3(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float m[9];
  for (int k = 0; k < 9; ++k) m[k] = in[9 * i + k];
  const float a = m[4] * m[8] - m[5] * m[7], b = m[5] * m[6] - m[3] * m[8], c = m[3] * m[7] - m[4] * m[6];
  const float det = m[0] * a + m[1] * b + m[2] * c, r = 1.0f / (fabsf(det) < 0.01f ? copysignf(0.01f, det) : det);
  float* o = out + 9 * i;
  o[0] = a * r;
  o[1] = (m[2] * m[7] - m[1] * m[8]) * r;
  o[2] = (m[1] * m[5] - m[2] * m[4]) * r;
  o[3] = b * r;
  o[4] = (m[0] * m[8] - m[2] * m[6]) * r;
  o[5] = (m[2] * m[3] - m[0] * m[5]) * r;
  o[6] = c * r;
  o[7] = (m[1] * m[6] - m[0] * m[7]) * r;
  o[8] = (m[0] * m[4] - m[1] * m[3]) * r;
}

// N x N solves with pivoting, one to a thread, a local array indexed by the pivot (so it lies in local memory).
template <int N>
__global__ void solve_pivot(const float* in, const float* rhs, float* out, int batch) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= batch) return;
  float a[N][N + 1];
  for (int r = 0; r < N; ++r) {
    for (int c = 0; c < N; ++c) a[r][c] = in[(r * N + c) * batch + i] + (r == c ? 0.25f : 0.0f);
    a[r][N] = rhs[r * batch + i];
  }
#pragma unroll 1
  for (int k = 0; k < N; ++k) {
    int best = k;
#pragma unroll 1
    for (int r = k + 1; r < N; ++r)
      if (fabsf(a[r][k]) > fabsf(a[best][k])) best = r;
#pragma unroll 1
    for (int c = k; c <= N; ++c) {
      const float swap = a[k][c];
      a[k][c] = a[best][c];
      a[best][c] = swap;
    }
    const float inverse = 1.0f / a[k][k];
#pragma unroll 1
    for (int r = k + 1; r < N; ++r) {
      const float f = a[r][k] * inverse;
#pragma unroll 1
      for (int c = k; c <= N; ++c) a[r][c] -= f * a[k][c];
    }
  }
#pragma unroll 1
  for (int k = N - 1; k >= 0; --k) {
    float sum = a[k][N];
#pragma unroll 1
    for (int c = k + 1; c < N; ++c) sum -= a[k][c] * a[c][N];
    a[k][N] = sum / a[k][k];
  }
  for (int r = 0; r < N; ++r) out[r * batch + i] = a[r][N];
}

// 5 x 5 products in a chain, forced into few registers: spills.
extern "C" __global__ void __launch_bounds__(1024, 2) chain_5x5(const float* in, float* out, int n, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float p[25], q[25];
#pragma unroll
  for (int k = 0; k < 25; ++k) p[k] = in[k * n + i];
#pragma unroll 1
  for (int s = 1; s < length; ++s) {
#pragma unroll
    for (int k = 0; k < 25; ++k) q[k] = in[k * n + (i + s) % n];
    float r[25];
#pragma unroll
    for (int y = 0; y < 5; ++y)
#pragma unroll
      for (int x = 0; x < 5; ++x) {
        float sum = 0.0f;
#pragma unroll
        for (int k = 0; k < 5; ++k) sum = fmaf(p[y * 5 + k], q[k * 5 + x], sum);
        r[y * 5 + x] = sum;
      }
#pragma unroll
    for (int k = 0; k < 25; ++k) p[k] = r[k];
  }
#pragma unroll
  for (int k = 0; k < 25; ++k) out[i * 25 + k] = p[k];
}

// Cholesky of 16 x 16 matrices, one to a block of 16 x 16 threads, floats in shared memory with pad.
extern "C" __global__ void cholesky_16(const float* in, float* out) {
  __shared__ float a[16][17];
  const int x = threadIdx.x, y = threadIdx.y, at = blockIdx.x * 256 + y * 16 + x;
  a[y][x] = in[blockIdx.x * 256 + max(x, y) * 16 + min(x, y)] + (x == y ? 16.0f : 0.0f);
  __syncthreads();
  for (int k = 0; k < 16; ++k) {
    if (x == k && y == k) a[k][k] = sqrtf(a[k][k]);
    __syncthreads();
    if (x == k && y > k) a[y][k] /= a[k][k];
    __syncthreads();
    if (x > k && y >= x) a[y][x] -= a[y][k] * a[x][k];
    __syncthreads();
  }
  out[at] = x <= y ? a[y][x] : 0.0f;
}
