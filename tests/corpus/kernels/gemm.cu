// C = A B, row-major, in the styles of the usual ladders. M, N, K are multiples of the tiles except
// where a kernel has guards.
#ifndef TILE
#define TILE 16
#endif

extern "C" __global__ void gemm_naive(const float* a, const float* b, float* c, int m, int n,
                                      int k) {
  const int col = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}

// Neighbouring threads take neighbouring rows: the bad order.
extern "C" __global__ void gemm_naive_by_rows(const float* a, const float* b, float* c, int m,
                                              int n, int k) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= m || col >= n) return;
  float sum = 0;
  for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
  c[row * n + col] = sum;
}

extern "C" __global__ void gemm_shared(const float* a, const float* b, float* c, int m, int n,
                                       int k) {
  __shared__ float as[TILE][TILE];
  __shared__ float bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  float sum = 0;
  for (int t = 0; t < (k + TILE - 1) / TILE; ++t) {
    const int ac = t * TILE + tx, br = t * TILE + ty;
    as[ty][tx] = row < m && ac < k ? a[row * k + ac] : 0.0f;
    bs[ty][tx] = br < k && col < n ? b[br * n + col] : 0.0f;
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  if (row < m && col < n) c[row * n + col] = sum;
}

// 64 x 64 x 8 tile, 8 x 4 results a thread in scalars.
extern "C" __global__ void gemm_register_scalar(const float* a, const float* b, float* c, int m,
                                                int n, int k) {
  __shared__ float as[64][8];
  __shared__ float bs[8][64];
  const int t = threadIdx.x;  // 128
  const int tr = t / 16, tc = t % 16;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float sum[8][4] = {};
  for (int k0 = 0; k0 < k; k0 += 8) {
    for (int i = t; i < 64 * 8; i += 128) {
      as[i / 8][i % 8] = a[(row0 + i / 8) * k + k0 + i % 8];
      bs[i / 64][i % 64] = b[(k0 + i / 64) * n + col0 + i % 64];
    }
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      float ra[8], rb[4];
      for (int y = 0; y < 8; ++y) ra[y] = as[tr * 8 + y][i];
      for (int x = 0; x < 4; ++x) rb[x] = bs[i][tc * 4 + x];
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 4; ++x) sum[y][x] += ra[y] * rb[x];
    }
    __syncthreads();
  }
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 4; ++x) c[(row0 + tr * 8 + y) * n + col0 + tc * 4 + x] = sum[y][x];
}

#ifndef APAD
#define APAD 0
#endif
// 64 x 64 x 8, float4 loads, A transposed in shared memory, 8 x 4 results.
extern "C" __global__ void gemm_transposed_a(const float* a, const float* b, float* c, int m,
                                             int n, int k) {
  __shared__ __align__(16) float as[8][64 + APAD];
  __shared__ __align__(16) float bs[8][64];
  const int t = threadIdx.x;  // 128
  const int tr = t / 16, tc = t % 16;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int arow = t / 2, acol = t % 2 * 4;
  const int brow = t / 16, bcol = t % 16 * 4;
  float sum[8][4] = {};
  for (int k0 = 0; k0 < k; k0 += 8) {
    const float4 va = *reinterpret_cast<const float4*>(&a[(row0 + arow) * k + k0 + acol]);
    as[acol + 0][arow] = va.x;
    as[acol + 1][arow] = va.y;
    as[acol + 2][arow] = va.z;
    as[acol + 3][arow] = va.w;
    *reinterpret_cast<float4*>(&bs[brow][bcol]) =
        *reinterpret_cast<const float4*>(&b[(k0 + brow) * n + col0 + bcol]);
    __syncthreads();
    for (int i = 0; i < 8; ++i) {
      float ra[8], rb[4];
      for (int y = 0; y < 8; ++y) ra[y] = as[i][tr * 8 + y];
      for (int x = 0; x < 4; ++x) rb[x] = bs[i][tc * 4 + x];
      for (int y = 0; y < 8; ++y)
        for (int x = 0; x < 4; ++x) sum[y][x] += ra[y] * rb[x];
    }
    __syncthreads();
  }
  for (int y = 0; y < 8; ++y) {
    *reinterpret_cast<float4*>(&c[(row0 + tr * 8 + y) * n + col0 + tc * 4]) =
        make_float4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
  }
}

// The same with two buffers and the next tile prefetched in registers.
extern "C" __global__ void gemm_double_buffer(const float* a, const float* b, float* c, int m,
                                              int n, int k) {
  __shared__ __align__(16) float as[2][8][64];
  __shared__ __align__(16) float bs[2][8][64];
  const int t = threadIdx.x;  // 128
  const int tr = t / 16, tc = t % 16;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int arow = t / 2, acol = t % 2 * 4;
  const int brow = t / 16, bcol = t % 16 * 4;
  const float* pa = &a[(row0 + arow) * k + acol];
  const float* pb = &b[brow * n + col0 + bcol];
  float sum[8][4] = {};
  float4 va = *reinterpret_cast<const float4*>(pa);
  float4 vb = *reinterpret_cast<const float4*>(pb);
  int stage = 0;
  as[0][acol + 0][arow] = va.x;
  as[0][acol + 1][arow] = va.y;
  as[0][acol + 2][arow] = va.z;
  as[0][acol + 3][arow] = va.w;
  *reinterpret_cast<float4*>(&bs[0][brow][bcol]) = vb;
  __syncthreads();
  for (int k0 = 8; k0 <= k; k0 += 8) {
    if (k0 < k) {
      va = *reinterpret_cast<const float4*>(pa + k0);
      vb = *reinterpret_cast<const float4*>(pb + k0 * n);
    }
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      float4 rb = *reinterpret_cast<const float4*>(&bs[stage][i][tc * 4]);
      float4 ra[2] = {*reinterpret_cast<const float4*>(&as[stage][i][tr * 8]),
                      *reinterpret_cast<const float4*>(&as[stage][i][tr * 8 + 4])};
      const float left[8] = {ra[0].x, ra[0].y, ra[0].z, ra[0].w, ra[1].x, ra[1].y, ra[1].z, ra[1].w};
#pragma unroll
      for (int y = 0; y < 8; ++y) {
        sum[y][0] += left[y] * rb.x;
        sum[y][1] += left[y] * rb.y;
        sum[y][2] += left[y] * rb.z;
        sum[y][3] += left[y] * rb.w;
      }
    }
    if (k0 < k) {
      stage ^= 1;
      as[stage][acol + 0][arow] = va.x;
      as[stage][acol + 1][arow] = va.y;
      as[stage][acol + 2][arow] = va.z;
      as[stage][acol + 3][arow] = va.w;
      *reinterpret_cast<float4*>(&bs[stage][brow][bcol]) = vb;
      __syncthreads();
    }
  }
  for (int y = 0; y < 8; ++y) {
    *reinterpret_cast<float4*>(&c[(row0 + tr * 8 + y) * n + col0 + tc * 4]) =
        make_float4(sum[y][0], sum[y][1], sum[y][2], sum[y][3]);
  }
}

extern "C" __global__ void gemm_split_k(const float* a, const float* b, float* c, int m, int n,
                                        int k) {
  __shared__ float as[TILE][TILE + 1];
  __shared__ float bs[TILE][TILE];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty, col = blockIdx.x * TILE + tx;
  const int part = k / gridDim.z;
  float sum = 0;
  for (int k0 = blockIdx.z * part; k0 < (blockIdx.z + 1) * part; k0 += TILE) {
    as[ty][tx] = a[row * k + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads();
    for (int i = 0; i < TILE; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  atomicAdd(&c[row * n + col], sum);
}

// 64 x 64 x 16, four warps of 32 x 32, each in 4 x 8 lanes of 8 x 4 results.
extern "C" __global__ void gemm_warp_tile(const float* a, const float* b, float* c, int m, int n,
                                          int k) {
  __shared__ __align__(16) float as[16][64 + 4];
  __shared__ __align__(16) float bs[16][64];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  const int wr = warp / 2 * 32 + lane / 8 * 8, wc = warp % 2 * 32 + lane % 8 * 4;
  float sum[8][4] = {};
  for (int k0 = 0; k0 < k; k0 += 16) {
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int at = t + i * 128;
      const int arow = at / 4, acol = at % 4 * 4;
      const float4 va = *reinterpret_cast<const float4*>(&a[(row0 + arow) * k + k0 + acol]);
      as[acol + 0][arow] = va.x;
      as[acol + 1][arow] = va.y;
      as[acol + 2][arow] = va.z;
      as[acol + 3][arow] = va.w;
      const int brow = at / 16, bcol = at % 16 * 4;
      *reinterpret_cast<float4*>(&bs[brow][bcol]) =
          *reinterpret_cast<const float4*>(&b[(k0 + brow) * n + col0 + bcol]);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 16; ++i) {
      float ra[8], rb[4];
#pragma unroll
      for (int y = 0; y < 8; ++y) ra[y] = as[i][wr + y];
#pragma unroll
      for (int x = 0; x < 4; ++x) rb[x] = bs[i][wc + x];
#pragma unroll
      for (int y = 0; y < 8; ++y)
#pragma unroll
        for (int x = 0; x < 4; ++x) sum[y][x] += ra[y] * rb[x];
    }
    __syncthreads();
  }
  for (int y = 0; y < 8; ++y)
    for (int x = 0; x < 4; ++x) c[(row0 + wr + y) * n + col0 + wc + x] = sum[y][x];
}

extern "C" __global__ void gemm_f64(const double* a, const double* b, double* c, int n, int k) {
  __shared__ double as[16][16];
  __shared__ double bs[16][16];
  const int tx = threadIdx.x, ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty, col = blockIdx.x * 16 + tx;
  double sum = 0;
  for (int k0 = 0; k0 < k; k0 += 16) {
    as[ty][tx] = a[row * k + k0 + tx];
    bs[ty][tx] = b[(k0 + ty) * n + col];
    __syncthreads();
    for (int i = 0; i < 16; ++i) sum += as[ty][i] * bs[i][tx];
    __syncthreads();
  }
  c[row * n + col] = sum;
}
