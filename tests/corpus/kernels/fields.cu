// Stencils and convolutions.
#include <cuda_fp16.h>

__constant__ float gauss[9] = {0.0625f, 0.125f, 0.0625f, 0.125f, 0.25f, 0.125f, 0.0625f, 0.125f, 0.0625f};
__constant__ float kernels[4][5][5] = {
    {{0, 0, 1, 0, 0}, {0, 1, 2, 1, 0}, {1, 2, -16, 2, 1}, {0, 1, 2, 1, 0}, {0, 0, 1, 0, 0}},
    {{1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}},
    {{-1, -2, 0, 2, 1}, {-4, -8, 0, 8, 4}, {-6, -12, 0, 12, 6}, {-4, -8, 0, 8, 4}, {-1, -2, 0, 2, 1}},
    {{1, 0, 0, 0, -1}, {0, 1, 0, -1, 0}, {0, 0, 0, 0, 0}, {0, -1, 0, 1, 0}, {-1, 0, 0, 0, 1}}};

// Seven points, a queue of three values down z, x and y through a tile with halo; 32 x 8.
extern "C" __global__ void seven_queue(const float* in, float* out, int nx, int ny, int nz, float c0, float c1) {
  __shared__ float s[8 + 2][32 + 2];
  const int tx = threadIdx.x + 1, ty = threadIdx.y + 1;
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  const int plane = nx * ny;
  const bool inside = x < nx && y < ny;
  const int at = inside ? y * nx + x : 0;
  float below = 0.0f, here = in[at], above = in[at + plane];
  for (int z = 1; z < nz - 1; ++z) {
    below = here;
    here = above;
    above = in[at + (z + 1) * plane];
    __syncthreads();
    s[ty][tx] = here;
    if (threadIdx.x == 0) s[ty][0] = x > 0 && inside ? in[at + z * plane - 1] : 0.0f;
    if (threadIdx.x == 31) s[ty][33] = x + 1 < nx && inside ? in[at + z * plane + 1] : 0.0f;
    if (threadIdx.y == 0) s[0][tx] = y > 0 && inside ? in[at + z * plane - nx] : 0.0f;
    if (threadIdx.y == 7) s[9][tx] = y + 1 < ny && inside ? in[at + z * plane + nx] : 0.0f;
    __syncthreads();
    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1)
      out[at + z * plane] = c0 * here + c1 * (below + above + s[ty][tx - 1] + s[ty][tx + 1] + s[ty - 1][tx] + s[ty + 1][tx]);
  }
}

// 27 points, three planes in a ring of shared memory, 16 x 4 outputs from 18 x 6 loads, doubles.
extern "C" __global__ void twenty_seven(const double* in, double* out, int n) {
  __shared__ double p[3][6][18 + 1];
  const int t = threadIdx.y * 16 + threadIdx.x, x0 = blockIdx.x * 16, y0 = blockIdx.y * 4;
  auto load = [&](int z) {
    for (int i = t; i < 6 * 18; i += 64) {
      const int y = y0 + i / 18, x = x0 + i % 18;
      p[z % 3][i / 18][i % 18] = x < n && y < n ? in[(z * n + y) * n + x] : 0.0;
    }
  };
  load(0);
  load(1);
  for (int z = 1; z < n - 1; ++z) {
    load(z + 1);
    __syncthreads();
    double edges[4] = {0, 0, 0, 0};
#pragma unroll
    for (int dz = -1; dz <= 1; ++dz)
#pragma unroll
      for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
        for (int dx = -1; dx <= 1; ++dx)
          edges[dz * dz + dy * dy + dx * dx] += p[(z + dz) % 3][threadIdx.y + 1 + dy][threadIdx.x + 1 + dx];
    const int x = x0 + threadIdx.x + 1, y = y0 + threadIdx.y + 1;
    if (x < n - 1 && y < n - 1)
      out[(z * n + y) * n + x] = 0.5 * edges[0] + 0.05 * edges[1] - 0.01 * edges[2] + 0.001 * edges[3];
    __syncthreads();
  }
}

// Gauss 3 x 3 over a picture of bytes with clamped edges, tile with halo loaded in a flat loop.
extern "C" __global__ void gauss_bytes(const unsigned char* in, unsigned char* out, int w, int h, int pitch) {
  __shared__ unsigned char s[18][34];
  const int x0 = blockIdx.x * 32 - 1, y0 = blockIdx.y * 16 - 1;
  for (int i = threadIdx.y * 32 + threadIdx.x; i < 18 * 34; i += 128) {
    const int x = min(max(x0 + i % 34, 0), w - 1), y = min(max(y0 + i / 34, 0), h - 1);
    s[i / 34][i % 34] = in[y * pitch + x];
  }
  __syncthreads();
  for (int r = threadIdx.y; r < 16; r += 4) {
    const int x = x0 + 1 + threadIdx.x, y = y0 + 1 + r;
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < 9; ++k) sum += gauss[k] * s[r + k / 3][threadIdx.x + k % 3];
    if (x < w && y < h) out[y * pitch + x] = (unsigned char)(sum + 0.5f);
  }
}

// The filter is chosen by the block: constant memory at an index that is not known.
extern "C" __global__ void filter_bank(const float* in, float* out, int w, int h) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, f = blockIdx.z;
  if (x >= w || y >= h) return;
  float sum = 0.0f;
  for (int dy = 0; dy < 5; ++dy)
    for (int dx = 0; dx < 5; ++dx) {
      const int yy = y + dy - 2, xx = x + dx - 2;
      if (yy >= 0 && yy < h && xx >= 0 && xx < w) sum += kernels[f][dy][dx] * in[yy * w + xx];
    }
  out[(f * h + y) * w + x] = sum;
}

// ... and by the lane, so that lanes of one warp read different constants.
extern "C" __global__ void filter_by_lane(const float* in, float* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n - 4) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < 5; ++k) sum += kernels[i & 3][(i >> 2) % 5][k] * in[i + k];
  out[i] = sum;
}

// Direct convolution: IC channels, 3 x 3, stride S, 4 output channels and 2 pixels to a thread; weights in shared memory.
template <int S>
__global__ void conv_direct(const float* __restrict__ in, const float* __restrict__ w, float* __restrict__ out,
                            int ic, int ih, int iw, int oh, int ow) {
  extern __shared__ float weights[];  // [4][ic][9]
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  for (int i = t; i < 4 * ic * 9; i += blockDim.x * blockDim.y) weights[i] = w[blockIdx.z * 4 * ic * 9 + i];
  __syncthreads();
  const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 2, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= ow || y >= oh) return;
  float acc[4][2] = {};
  for (int c = 0; c < ic; ++c) {
    float v[3][3 + S];
#pragma unroll
    for (int i = 0; i < 3; ++i)
#pragma unroll
      for (int j = 0; j < 3 + S; ++j) {
        const int yy = y * S + i - 1, xx = x * S + j - 1;
        v[i][j] = yy >= 0 && yy < ih && xx >= 0 && xx < iw ? in[(c * ih + yy) * iw + xx] : 0.0f;
      }
#pragma unroll
    for (int o = 0; o < 4; ++o)
#pragma unroll
      for (int i = 0; i < 3; ++i)
#pragma unroll
        for (int j = 0; j < 3; ++j) {
          const float k = weights[(o * ic + c) * 9 + i * 3 + j];
          acc[o][0] += k * v[i][j];
          acc[o][1] += k * v[i][j + S];
        }
  }
#pragma unroll
  for (int o = 0; o < 4; ++o) {
    float* to = out + ((blockIdx.z * 4 + o) * oh + y) * ow + x;
    to[0] = acc[o][0];
    if (x + 1 < ow) to[1] = acc[o][1];
  }
}

// Depthwise 3 x 3 over NCHW planes of halves, whole plane rows in shared memory; a block to a plane.
extern "C" __global__ void depthwise_half(const __half* in, const __half* w, __half* out, int h, int width) {
  extern __shared__ __half plane[];
  const int p = blockIdx.x, t = threadIdx.x, pitch = width + 2;
  for (int i = t; i < (h + 2) * pitch; i += blockDim.x) {
    const int y = i / pitch - 1, x = i % pitch - 1;
    plane[i] = y >= 0 && y < h && x >= 0 && x < width ? in[(p * h + y) * width + x] : __float2half(0.0f);
  }
  float k[9];
#pragma unroll
  for (int i = 0; i < 9; ++i) k[i] = __half2float(w[p * 9 + i]);
  __syncthreads();
  for (int i = t; i < h * width; i += blockDim.x) {
    const int y = i / width, x = i % width;
    float sum = 0.0f;
#pragma unroll
    for (int j = 0; j < 9; ++j) sum = fmaf(k[j], __half2float(plane[(y + j / 3) * pitch + x + j % 3]), sum);
    out[p * h * width + i] = __float2half_rn(fmaxf(sum, 0.0f));
  }
}

// Transposed convolution (deconvolution) by scatter, 48 x 3 blocks, atomics on overlapping outputs.
extern "C" __global__ void deconvolve(const int* in, int* out, int w, int h, int ow) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  const int v = in[y * w + x] & 0xff;
#pragma unroll
  for (int i = 0; i < 3; ++i)
#pragma unroll
    for (int j = 0; j < 3; ++j) atomicAdd(&out[(2 * y + i) * ow + 2 * x + j], v * (1 + i * 3 + j));
}

// Several steps of heat in one launch by a block that keeps its strip (ghost zones): local arrays of registers.
template <int kEach>
__global__ void heat_strip(const float* in, float* out, int n, int steps) {
  __shared__ float left[130], right[130];
  const int t = threadIdx.x;
  float v[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int at = (blockIdx.x * 128 + t) * kEach + i;
    v[i] = at < n ? in[at] : 0.0f;
  }
  if (t < 2) {
    right[t * 129] = 0.0f;
    left[t * 129] = 0.0f;
  }
  for (int s = 0; s < steps; ++s) {
    left[t + 1] = v[0];
    right[t + 1] = v[kEach - 1];
    __syncthreads();
    float before = right[t];
    const float after = left[t + 2];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const float next = i + 1 < kEach ? v[i + 1] : after, old = v[i];
      v[i] = old + 0.2f * (before - 2.0f * old + next);
      before = old;
    }
    __syncthreads();
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int at = (blockIdx.x * 128 + t) * kEach + i;
    if (at < n) out[at] = v[i];
  }
}
