#include <cuda_fp16.h>
#define TILE_DIM 32
#define BLOCK_ROWS 8

extern "C" __global__ void transposeNaive(float* odata, const float* idata, int width, int height) {
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height) odata[x * height + (y + j)] = idata[(y + j) * width + x];
}
extern "C" __global__ void transposeCoalesced(float* odata, const float* idata, int width,
                                              int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM];
  int x = blockIdx.x * TILE_DIM + threadIdx.x, y = blockIdx.y * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = blockIdx.y * TILE_DIM + threadIdx.x;
  y = blockIdx.x * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    if (x < height && y + j < width)
      odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// diagonal block order, padded
extern "C" __global__ void transposeDiagonal(float* odata, const float* idata, int width,
                                             int height) {
  __shared__ float tile[TILE_DIM][TILE_DIM + 1];
  int bx, by;
  if (width == height) {
    by = blockIdx.x;
    bx = (blockIdx.x + blockIdx.y) % gridDim.x;
  } else {
    int bid = blockIdx.x + gridDim.x * blockIdx.y;
    by = bid % gridDim.y;
    bx = ((bid / gridDim.y) + by) % gridDim.x;
  }
  int x = bx * TILE_DIM + threadIdx.x, y = by * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];
  __syncthreads();
  x = by * TILE_DIM + threadIdx.x;
  y = bx * TILE_DIM + threadIdx.y;
  for (int j = 0; j < TILE_DIM; j += BLOCK_ROWS)
    odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
// any type, any tile, guarded
template <typename T, int TX, int TY, int PAD>
__global__ void transpose_any(const T* __restrict__ in, T* __restrict__ out, int rows, int cols) {
  __shared__ T tile[TX][TX + PAD];
  int c = blockIdx.x * TX + threadIdx.x;
#pragma unroll
  for (int i = threadIdx.y; i < TX; i += TY) {
    int r = blockIdx.y * TX + i;
    if (r < rows && c < cols) tile[i][threadIdx.x] = in[(size_t)r * cols + c];
  }
  __syncthreads();
  int oc = blockIdx.y * TX + threadIdx.x;
#pragma unroll
  for (int i = threadIdx.y; i < TX; i += TY) {
    int orow = blockIdx.x * TX + i;
    if (orow < cols && oc < rows) out[(size_t)orow * rows + oc] = tile[threadIdx.x][i];
  }
}
// xor swizzle instead of padding
template <typename T>
__global__ void transpose_xor(const T* in, T* out, int n) {
  __shared__ T t[32 * 32];
  int x = threadIdx.x, y = threadIdx.y;
  for (int j = y; j < 32; j += blockDim.y)
    t[j * 32 + (x ^ j)] = in[(blockIdx.y * 32 + j) * n + blockIdx.x * 32 + x];
  __syncthreads();
  for (int j = y; j < 32; j += blockDim.y)
    out[(blockIdx.x * 32 + j) * n + blockIdx.y * 32 + x] = t[x * 32 + (j ^ x)];
}
// in place, square: pairs of tiles swapped; blocks below the diagonal go home
extern "C" __global__ void transpose_inplace(int* a, int n) {
  if (blockIdx.x < blockIdx.y) return;
  __shared__ int s[16][17], d[16][17];
  int x1 = blockIdx.x * 16 + threadIdx.x, y1 = blockIdx.y * 16 + threadIdx.y;
  int x2 = blockIdx.y * 16 + threadIdx.x, y2 = blockIdx.x * 16 + threadIdx.y;
  bool in1 = x1 < n && y1 < n, in2 = x2 < n && y2 < n;
  if (in1) s[threadIdx.y][threadIdx.x] = a[y1 * n + x1];
  if (in2) d[threadIdx.y][threadIdx.x] = a[y2 * n + x2];
  __syncthreads();
  if (in2) a[y2 * n + x2] = s[threadIdx.x][threadIdx.y];
  if (blockIdx.x != blockIdx.y && in1) a[y1 * n + x1] = d[threadIdx.x][threadIdx.y];
}
// float4 in, float4 out: 4x4 register blocks, 32x32 of float through a tile of float4 rows
extern "C" __global__ void transpose_f4(const float4* in, float4* out, int w4, int h4) {
  int bx = blockIdx.x * blockDim.x + threadIdx.x, by = blockIdx.y * blockDim.y + threadIdx.y;
  if (bx >= w4 || by >= h4) return;
  float4 r[4];
#pragma unroll
  for (int i = 0; i < 4; ++i) r[i] = in[(by * 4 + i) * w4 + bx];
  out[(bx * 4 + 0) * h4 + by] = make_float4(r[0].x, r[1].x, r[2].x, r[3].x);
  out[(bx * 4 + 1) * h4 + by] = make_float4(r[0].y, r[1].y, r[2].y, r[3].y);
  out[(bx * 4 + 2) * h4 + by] = make_float4(r[0].z, r[1].z, r[2].z, r[3].z);
  out[(bx * 4 + 3) * h4 + by] = make_float4(r[0].w, r[1].w, r[2].w, r[3].w);
}
// bytes: 4x4 blocks by __byte_perm, through shared
extern "C" __global__ void transpose_bytes(const unsigned char* in, unsigned char* out, int w,
                                           int h) {
  __shared__ unsigned s[32][9];
  int tx = threadIdx.x, ty = threadIdx.y;  // 8 x 8: a 32x32 byte tile
  unsigned r[4];
#pragma unroll
  for (int i = 0; i < 4; i++)
    r[i] = *reinterpret_cast<const unsigned*>(in + (blockIdx.y * 32 + ty * 4 + i) * w +
                                              blockIdx.x * 32 + tx * 4);
  unsigned a = __byte_perm(r[0], r[1], 0x5140), b = __byte_perm(r[2], r[3], 0x5140);
  unsigned c = __byte_perm(r[0], r[1], 0x7362), d = __byte_perm(r[2], r[3], 0x7362);
  s[tx * 4 + 0][ty] = __byte_perm(a, b, 0x5410);
  s[tx * 4 + 1][ty] = __byte_perm(a, b, 0x7632);
  s[tx * 4 + 2][ty] = __byte_perm(c, d, 0x5410);
  s[tx * 4 + 3][ty] = __byte_perm(c, d, 0x7632);
  __syncthreads();
#pragma unroll
  for (int i = 0; i < 4; i++) {
    int row = ty * 4 + i;
    *reinterpret_cast<unsigned*>(out + (blockIdx.x * 32 + row) * h + blockIdx.y * 32 + tx * 4) =
        s[row][tx];
  }
}
// half through half2: two columns in, two rows out
extern "C" __global__ void transpose_half2(const __half2* in, __half2* out, int n) {
  __shared__ __half tile[64][66];
  int tx = threadIdx.x, ty = threadIdx.y, n2 = n / 2;
  for (int j = ty; j < 64; j += 8) {
    __half2 v = in[(blockIdx.y * 64 + j) * n2 + blockIdx.x * 32 + tx];
    *(__half2*)&tile[j][tx * 2] = v;
  }
  __syncthreads();
  for (int j = ty; j < 64; j += 8)
    out[(blockIdx.x * 64 + j) * n2 + blockIdx.y * 32 + tx] =
        __halves2half2(tile[2 * tx][j], tile[2 * tx + 1][j]);
}
// inside a warp, no shared memory: 8x8 by shuffles (3 steps of butterfly)
extern "C" __global__ void transpose_shfl(const int* in, int* out) {
  int lane = threadIdx.x & 31, base = (blockIdx.x * blockDim.x + threadIdx.x) / 32 * 256;
  int v[8];
  int g = lane / 8, l = lane % 8;  // four groups of 8 lanes, each its 8x8
  for (int i = 0; i < 8; i++) v[i] = in[base + g * 64 + i * 8 + l];
#pragma unroll
  for (int s = 1; s < 8; s *= 2) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
      if (i & s) continue;
      int a = v[i], b = v[i | s];
      int send = (l & s) ? a : b;
      int got = __shfl_xor_sync(0xffffffff, send, s);
      if (l & s)
        v[i] = got;
      else
        v[i | s] = got;
    }
  }
  for (int i = 0; i < 8; i++) out[base + g * 64 + i * 8 + l] = v[i];
}
// permutes: (n,c,h,w) -> (n,h,w,c) by tiles, and a general one by divisions
extern "C" __global__ void nchw_to_nhwc(const float* in, float* out, int C, int HW) {
  __shared__ float s[16][16 + 1];
  const float* p = in + blockIdx.z * C * HW;
  float* q = out + blockIdx.z * C * HW;
  int hw = blockIdx.x * 16 + threadIdx.x, c = blockIdx.y * 16 + threadIdx.y;
  if (c < C && hw < HW) s[threadIdx.y][threadIdx.x] = p[c * HW + hw];
  __syncthreads();
  c = blockIdx.y * 16 + threadIdx.x;
  hw = blockIdx.x * 16 + threadIdx.y;
  if (c < C && hw < HW) q[hw * C + c] = s[threadIdx.x][threadIdx.y];
}
struct Perm {
  int d[4];
  int stride[4];
};
extern "C" __global__ void permute_4d(const short* in, short* out, int d0, int d1, int d2, int d3) {
  // out[i2][i0][i3][i1]
  Perm p = {{d2, d0, d3, d1}, {d3, d1 * d2 * d3, 1, d2 * d3}};
  int total = d0 * d1 * d2 * d3;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < total; i += blockDim.x * gridDim.x) {
    int rest = i, src = 0;
#pragma unroll
    for (int k = 3; k >= 0; --k) {
      src += rest % p.d[k] * p.stride[k];
      rest /= p.d[k];
    }
    out[i] = in[src];
  }
}
extern "C" __global__ void permute_021(const double* in, double* out, int a, int b, int c) {
  __shared__ double t[16][16];
  int z = blockIdx.z;
  for (int zz = z; zz < a; zz += gridDim.z) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    if (x < c && y < b) t[threadIdx.y][threadIdx.x] = in[(zz * b + y) * c + x];
    __syncthreads();
    x = blockIdx.y * 16 + threadIdx.x, y = blockIdx.x * 16 + threadIdx.y;
    if (x < b && y < c) out[(zz * c + y) * b + x] = t[threadIdx.x][threadIdx.y];
    __syncthreads();
  }
}
