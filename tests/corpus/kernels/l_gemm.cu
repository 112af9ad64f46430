// Matrix products and transposes as courses and code reviews have them, in shapes of their own.
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;

// C += A^T A of an upper triangle of blocks; A is k rows of n.
extern "C" __global__ void syrk(const float* __restrict__ a, float* __restrict__ c, int n, int k) {
  constexpr int kTile = 16;
  if (blockIdx.x < blockIdx.y) return;
  __shared__ float left[kTile][kTile + 1];
  __shared__ float right[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0;
  for (int k0 = 0; k0 < k; k0 += kTile) {
    const int kk = k0 + threadIdx.y;
    const int from = blockIdx.y * kTile + threadIdx.x;
    left[threadIdx.x][threadIdx.y] = kk < k && from < n ? a[kk * n + from] : 0.0f;
    right[threadIdx.y][threadIdx.x] = kk < k && col < n ? a[kk * n + col] : 0.0f;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
    __syncthreads();
  }
  if (row < n && col < n && row <= col) c[row * n + col] += sum;
}

// Many small products, one per group of 64 threads.
extern "C" __global__ void batched_8x8(const float* __restrict__ a, const float* __restrict__ b,
                                       float* __restrict__ c, int count) {
  __shared__ float left[4][8][9];
  __shared__ float right[4][8][8];
  const int group = threadIdx.y;
  const int row = threadIdx.x / 8;
  const int col = threadIdx.x % 8;
  for (int matrix = blockIdx.x * 4 + group; matrix - group < count; matrix += gridDim.x * 4) {
    if (matrix < count) {
      left[group][row][col] = a[matrix * 64 + threadIdx.x];
      right[group][row][col] = b[matrix * 64 + threadIdx.x];
    }
    __syncthreads();
    if (matrix < count) {
      float sum = 0;
#pragma unroll
      for (int k = 0; k < 8; ++k) sum = fmaf(left[group][row][k], right[group][k][col], sum);
      c[matrix * 64 + threadIdx.x] = sum;
    }
    __syncthreads();
  }
}

// int8 by dp4a, 4x4 results a thread, B packed along k.
extern "C" __global__ void int8_dp4a(const int* __restrict__ a, const int* __restrict__ b,
                                     int* __restrict__ c, int n, int k4) {
  __shared__ int left[64][9];
  __shared__ int right[64][9];
  const int tx = threadIdx.x % 16;
  const int ty = threadIdx.x / 16;
  int sum[4][4] = {};
  for (int k0 = 0; k0 < k4; k0 += 8) {
    for (int i = threadIdx.x; i < 64 * 8; i += 256) {
      left[i / 8][i % 8] = a[(blockIdx.y * 64 + i / 8) * k4 + k0 + i % 8];
      right[i / 8][i % 8] = b[(blockIdx.x * 64 + i / 8) * k4 + k0 + i % 8];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 8; ++k) {
      int x[4], y[4];
      for (int i = 0; i < 4; ++i) x[i] = left[ty + 16 * i][k];
      for (int j = 0; j < 4; ++j) y[j] = right[tx + 16 * j][k];
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j) sum[i][j] = __dp4a(x[i], y[j], sum[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      c[(blockIdx.y * 64 + ty + 16 * i) * n + blockIdx.x * 64 + tx + 16 * j] = sum[i][j];
}

// tf32 on tensor cores: 32x32 results of four warps, operands through padded shared memory.
extern "C" __global__ void tf32_wmma(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float left[32][LD];
  __shared__ float right[8][LD + 28];
  const int warp = threadIdx.x / 32;
  wmma::fragment<wmma::accumulator, 16, 16, 8, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  for (int k0 = 0; k0 < k; k0 += 8) {
    for (int i = threadIdx.x; i < 256; i += 128) {
      left[i / 8][i % 8] = a[(blockIdx.y * 32 + i / 8) * k + k0 + i % 8];
      right[i / 32][i % 32] = b[(k0 + i / 32) * n + blockIdx.x * 32 + i % 32];
    }
    __syncthreads();
    wmma::fragment<wmma::matrix_a, 16, 16, 8, wmma::precision::tf32, wmma::row_major> rows;
    wmma::fragment<wmma::matrix_b, 16, 16, 8, wmma::precision::tf32, wmma::row_major> columns;
    wmma::load_matrix_sync(rows, &left[warp / 2 * 16][0], LD);
    wmma::load_matrix_sync(columns, &right[0][warp % 2 * 16], LD + 28);
    for (int i = 0; i < rows.num_elements; ++i) rows.x[i] = wmma::__float_to_tf32(rows.x[i]);
    for (int i = 0; i < columns.num_elements; ++i)
      columns.x[i] = wmma::__float_to_tf32(columns.x[i]);
    wmma::mma_sync(sum, rows, columns, sum);
    __syncthreads();
  }
  wmma::store_matrix_sync(
      c + (blockIdx.y * 32 + warp / 2 * 16) * n + blockIdx.x * 32 + warp % 2 * 16, sum, n,
      wmma::mem_row_major);
}

// Half inputs, half sums, 64x32 results of a block; A by 8 halves, B by 4.
extern "C" __global__ void half_tile(const half* __restrict__ a, const half* __restrict__ b,
                                     half* __restrict__ c, int n, int k) {
  __shared__ half2 left[16][64 + PAD];
  __shared__ half2 right[16][32 + PAD];
  const int tx = threadIdx.x % 8;
  const int ty = threadIdx.x / 8;
  half2 sum[4][4] = {};
  for (int k0 = 0; k0 < k; k0 += 32) {
    for (int i = threadIdx.x; i < 64 * 4; i += 128) {
      const int row = i / 4;
      const int4 v =
          *reinterpret_cast<const int4*>(a + (blockIdx.y * 64 + row) * k + k0 + i % 4 * 8);
      left[i % 4 * 4 + 0][row] = reinterpret_cast<const half2&>(v.x);
      left[i % 4 * 4 + 1][row] = reinterpret_cast<const half2&>(v.y);
      left[i % 4 * 4 + 2][row] = reinterpret_cast<const half2&>(v.z);
      left[i % 4 * 4 + 3][row] = reinterpret_cast<const half2&>(v.w);
    }
    for (int i = threadIdx.x; i < 16 * 32; i += 128) {
      const int pair = i / 32;
      const int col = blockIdx.x * 32 + i % 32;
      right[pair][i % 32] =
          __halves2half2(b[(k0 + 2 * pair) * n + col], b[(k0 + 2 * pair + 1) * n + col]);
    }
    __syncthreads();
#pragma unroll 4
    for (int p = 0; p < 16; ++p)
      for (int i = 0; i < 4; ++i)
        for (int j = 0; j < 4; ++j)
          sum[i][j] = __hfma2(left[p][ty * 4 + i], right[p][tx + 8 * j], sum[i][j]);
    __syncthreads();
  }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j)
      c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 32 + tx + 8 * j] =
          __hadd(__low2half(sum[i][j]), __high2half(sum[i][j]));
}

// y = A x with a warp for ROWS rows, x in shared memory piece by piece.
extern "C" __global__ void gemv_rows(const float4* __restrict__ a, const float4* __restrict__ x,
                                     float* __restrict__ y, int rows, int quads) {
  __shared__ float4 piece[64];
  const int lane = threadIdx.x % 32;
  const int first = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * ROWS;
  float sum[ROWS] = {};
  for (int q0 = 0; q0 < quads; q0 += 64) {
    __syncthreads();
    for (int i = threadIdx.x; i < 64 && q0 + i < quads; i += blockDim.x) piece[i] = x[q0 + i];
    __syncthreads();
    for (int r = 0; r < ROWS; ++r) {
      if (first + r >= rows) break;
      for (int i = lane; i < 64 && q0 + i < quads; i += 32) {
        const float4 v = a[static_cast<size_t>(first + r) * quads + q0 + i];
        const float4 w = piece[i];
        sum[r] += v.x * w.x + v.y * w.y + v.z * w.z + v.w * w.w;
      }
    }
  }
  for (int r = 0; r < ROWS; ++r) {
    float s = sum[r];
    for (int d = 16; d > 0; d /= 2) s += __shfl_xor_sync(0xffffffffu, s, d);
    if (lane == r && first + r < rows) y[first + r] = s;
  }
}

// In place, two tiles of a square matrix change places.
extern "C" __global__ void in_place(float* data, int n) {
  __shared__ float upper[32][33];
  __shared__ float lower[32][33];
  if (blockIdx.x < blockIdx.y) return;
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int u = blockIdx.y * 32 + threadIdx.x;
  for (int j = threadIdx.y; j < 32; j += 8) {
    const int y = blockIdx.y * 32 + j;
    const int w = blockIdx.x * 32 + j;
    if (x < n && y < n) upper[j][threadIdx.x] = data[y * n + x];
    if (u < n && w < n) lower[j][threadIdx.x] = data[w * n + u];
  }
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    const int y = blockIdx.y * 32 + j;
    const int w = blockIdx.x * 32 + j;
    if (u < n && w < n) data[w * n + u] = upper[threadIdx.x][j];
    if (x < n && y < n && blockIdx.x != blockIdx.y) data[y * n + x] = lower[threadIdx.x][j];
  }
}

// Bytes, four to a word: 64x64 bytes a tile, turned by prmt.
extern "C" __global__ void bytes_4x4(const unsigned* __restrict__ in, unsigned* __restrict__ out,
                                     int words) {
  __shared__ unsigned tile[16][17 + 4 * 16];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  unsigned v[4];
  for (int i = 0; i < 4; ++i)
    v[i] = in[(blockIdx.y * 64 + ty * 4 + i) * words + blockIdx.x * 16 + tx];
  const unsigned a = __byte_perm(v[0], v[1], 0x5140), b = __byte_perm(v[2], v[3], 0x5140);
  const unsigned c = __byte_perm(v[0], v[1], 0x7362), d = __byte_perm(v[2], v[3], 0x7362);
  tile[ty][tx * 4 + tx / 4 + 0] = __byte_perm(a, b, 0x5410);
  tile[ty][tx * 4 + tx / 4 + 1] = __byte_perm(a, b, 0x7632);
  tile[ty][tx * 4 + tx / 4 + 2] = __byte_perm(c, d, 0x5410);
  tile[ty][tx * 4 + tx / 4 + 3] = __byte_perm(c, d, 0x7632);
  __syncthreads();
  for (int i = 0; i < 4; ++i)
    out[(blockIdx.x * 64 + ty * 4 + i) * words + blockIdx.y * 16 + tx] =
        tile[tx][ty * 4 + ty / 4 + i];
}

// [d0][d1][d2] to [d2][d0][d1] through a tile of doubles.
extern "C" __global__ void permuted(const double* __restrict__ in, double* __restrict__ out, int d0,
                                    int d1, int d2) {
  __shared__ double tile[16][16 + PAD];
  const int plane = blockIdx.z;
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  if (x < d2 && y < d1) tile[threadIdx.y][threadIdx.x] = in[(plane * d1 + y) * d2 + x];
  __syncthreads();
  x = blockIdx.x * 16 + threadIdx.y;
  y = blockIdx.y * 16 + threadIdx.x;
  if (x < d2 && y < d1) out[(x * d0 + plane) * d1 + y] = tile[threadIdx.x][threadIdx.y];
}

// float4 in, float4 out: a thread turns 4x4 in registers, the warp's pieces by shuffles.
extern "C" __global__ void in_registers(const float4* __restrict__ in, float4* __restrict__ out,
                                        int quads) {
  const int lane = threadIdx.x;
  const int col = blockIdx.x * 8 + lane % 8;
  float4 v[4];
  for (int i = 0; i < 4; ++i) v[i] = in[(blockIdx.y * 16 + lane / 8 * 4 + i) * quads + col];
  const float4 t[4] = {{v[0].x, v[1].x, v[2].x, v[3].x},
                       {v[0].y, v[1].y, v[2].y, v[3].y},
                       {v[0].z, v[1].z, v[2].z, v[3].z},
                       {v[0].w, v[1].w, v[2].w, v[3].w}};
  for (int i = 0; i < 4; ++i)
    out[(blockIdx.x * 32 + lane % 8 * 4 + i) * (gridDim.y * 4) + blockIdx.y * 4 + lane / 8] = t[i];
}

// Products of a stream of tiles: each block takes its share of all k steps and hands over by
// atomics.
extern "C" __global__ void stream_k(const float* __restrict__ a, const float* __restrict__ b,
                                    float* c, int n, int k) {
  constexpr int kTile = 16;
  __shared__ float left[kTile][kTile];
  __shared__ float right[kTile][kTile];
  const int tiles = n / kTile;
  const int steps = k / kTile;
  const int all = tiles * tiles * steps;
  const int share = (all + gridDim.x - 1) / gridDim.x;
  int at = blockIdx.x * share;
  const int end = min(at + share, all);
  while (at < end) {
    const int tile = at / steps;
    const int last = min(end, (tile + 1) * steps);
    const int row = tile / tiles * kTile + threadIdx.y;
    const int col = tile % tiles * kTile + threadIdx.x;
    float sum = 0;
    for (; at < last; ++at) {
      const int k0 = at % steps * kTile;
      left[threadIdx.y][threadIdx.x] = a[row * k + k0 + threadIdx.x];
      right[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * n + col];
      __syncthreads();
      for (int i = 0; i < kTile; ++i) sum += left[threadIdx.y][i] * right[i][threadIdx.x];
      __syncthreads();
    }
    atomicAdd(&c[row * n + col], sum);
  }
}
