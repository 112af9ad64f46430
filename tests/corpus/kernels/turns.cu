// Transposes and permutations: element types, swizzles, block shapes, layouts of pictures.
#include <cuda_fp16.h>

// 32 x 32 tiles, XOR of the column with the row, any type, any number of rows in a block.
template <typename T, int kRows>
__global__ void transpose_xor(const T* __restrict__ in, T* __restrict__ out, int w, int h) {
  __shared__ T tile[32][32];
  int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
#pragma unroll
  for (int i = 0; i < 32; i += kRows)
    if (x < w && y + i < h) tile[threadIdx.y + i][threadIdx.x ^ (threadIdx.y + i)] = in[(y + i) * w + x];
  __syncthreads();
  x = blockIdx.y * 32 + threadIdx.x;
  y = blockIdx.x * 32 + threadIdx.y;
#pragma unroll
  for (int i = 0; i < 32; i += kRows)
    if (x < h && y + i < w) out[(y + i) * h + x] = tile[threadIdx.x][(threadIdx.y + i) ^ threadIdx.x];
}

// Tile rows rotated ("diagonal") in shared memory; 16 x 16 blocks, each thread four places.
extern "C" __global__ void transpose_rotated(const float* in, float* out, int pitch_in, int pitch_out) {
  __shared__ float s[32 * 32];
  const int tx = threadIdx.x, ty = threadIdx.y, x0 = blockIdx.x * 32, y0 = blockIdx.y * 32;
  for (int j = ty; j < 32; j += 16)
    for (int i = tx; i < 32; i += 16) s[j * 32 + ((i + j) & 31)] = in[(y0 + j) * pitch_in + x0 + i];
  __syncthreads();
  for (int j = ty; j < 32; j += 16)
    for (int i = tx; i < 32; i += 16) out[(x0 + j) * pitch_out + y0 + i] = s[i * 32 + ((j + i) & 31)];
}

// Halves two by two: half2 in, 2 x 2 turned in registers, half2 out. Pad of a half2.
extern "C" __global__ void transpose_half2(const __half2* in, __half2* out, int n) {
  __shared__ __half2 t[64][32 + 1];
  const int x = threadIdx.x, n2 = n / 2;
  for (int y = threadIdx.y; y < 64; y += blockDim.y) t[y][x] = in[(blockIdx.y * 64 + y) * n2 + blockIdx.x * 32 + x];
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += blockDim.y) {
    const __half2 a = t[2 * x][y], b = t[2 * x + 1][y];
    out[(blockIdx.x * 64 + 2 * y) * n2 + blockIdx.y * 32 + x] = __lows2half2(a, b);
    out[(blockIdx.x * 64 + 2 * y + 1) * n2 + blockIdx.y * 32 + x] = __highs2half2(a, b);
  }
}

// Bytes: uchar4 in, single-byte stores turned, uchar4 out. PITCH bytes to a row.
extern "C" __global__ void transpose_uchar4(const uchar4* in, uchar4* out, int w4, int h4) {
  __shared__ __align__(4) unsigned char s[32][PITCH];
  const int tx = threadIdx.x, ty = threadIdx.y;  // 8 x 32
  const uchar4 v = in[(blockIdx.y * 32 + ty) * w4 + blockIdx.x * 8 + tx];
  s[4 * tx + 0][ty] = v.x;
  s[4 * tx + 1][ty] = v.y;
  s[4 * tx + 2][ty] = v.z;
  s[4 * tx + 3][ty] = v.w;
  __syncthreads();
  out[(blockIdx.x * 32 + ty) * h4 + blockIdx.y * 8 + tx] = *(const uchar4*)&s[ty][4 * tx];
}

// In place, pairs of tiles over the diagonal; 1-D grid counts the triangle.
extern "C" __global__ void transpose_in_place(float* a, int n) {
  __shared__ float p[16][17], q[16][17];
  int by = 0, rest = blockIdx.x;
  while (rest > by) rest -= ++by;
  const int bx = rest, tx = threadIdx.x, ty = threadIdx.y;
  p[ty][tx] = a[(by * 16 + ty) * n + bx * 16 + tx];
  if (bx != by) q[ty][tx] = a[(bx * 16 + ty) * n + by * 16 + tx];
  __syncthreads();
  a[(bx * 16 + ty) * n + by * 16 + tx] = p[tx][ty];
  if (bx != by) a[(by * 16 + ty) * n + bx * 16 + tx] = q[tx][ty];
}

// Long tiles: 64 columns by 8 rows, 64 x 2 threads, columns leave as two float4.
extern "C" __global__ void transpose_long(const float* in, float* out, int w, int h) {
  __shared__ float t[8][64 + 1];
  for (int r = threadIdx.y; r < 8; r += 2) t[r][threadIdx.x] = in[(blockIdx.y * 8 + r) * w + blockIdx.x * 64 + threadIdx.x];
  __syncthreads();
  const int c = threadIdx.x, r = threadIdx.y * 4;
  *(float4*)&out[(blockIdx.x * 64 + c) * h + blockIdx.y * 8 + r] = make_float4(t[r][c], t[r + 1][c], t[r + 2][c], t[r + 3][c]);
}

// NCHW to NHWC, without and with a tile; odd channel counts.
extern "C" __global__ void nchw_to_nhwc(const float* in, float* out, int c, int hw) {
  const int n = blockIdx.z;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < c * hw; i += gridDim.x * blockDim.x) {
    const int channel = i % c, at = i / c;
    out[n * c * hw + i] = in[(n * c + channel) * hw + at];
  }
}

template <typename T>
__global__ void nhwc_to_nchw_tiled(const T* in, T* out, int c, int hw) {
  __shared__ T t[32][33];
  const T* from = in + (size_t)blockIdx.z * c * hw;
  T* to = out + (size_t)blockIdx.z * c * hw;
  const int ch = blockIdx.x * 32 + threadIdx.x;
  for (int i = threadIdx.y; i < 32; i += blockDim.y) {
    const int p = blockIdx.y * 32 + i;
    if (ch < c && p < hw) t[i][threadIdx.x] = from[p * c + ch];
  }
  __syncthreads();
  const int p = blockIdx.y * 32 + threadIdx.x;
  for (int i = threadIdx.y; i < 32; i += blockDim.y) {
    const int k = blockIdx.x * 32 + i;
    if (k < c && p < hw) to[k * hw + p] = t[threadIdx.x][i];
  }
}

// (a, b, c) -> (c, a, b), a 3-D block of 7 x 9 x 2.
extern "C" __global__ void permute_cab(const double* in, double* out, int a, int b, int c) {
  const int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
  const int i = blockIdx.z * blockDim.z + threadIdx.z;
  if (i < a && j < b && k < c) out[((size_t)k * a + i) * b + j] = in[((size_t)i * b + j) * c + k];
}

// Heads of attention: (tokens, heads, 3, d) of halves into q, k, v of (heads, tokens, d); 8 bytes each.
extern "C" __global__ void split_heads(const uint2* qkv, uint2* q, uint2* k, uint2* v, int tokens, int heads, int d4) {
  const int head = blockIdx.y, x = threadIdx.x;
  for (int token = blockIdx.x * blockDim.y + threadIdx.y; token < tokens; token += gridDim.x * blockDim.y) {
    const uint2* from = qkv + ((token * heads + head) * 3) * d4 + x;
    const int to = (head * tokens + token) * d4 + x;
    q[to] = from[0];
    k[to] = from[d4];
    v[to] = from[2 * d4];
  }
}
