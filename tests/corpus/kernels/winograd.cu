// Fast convolutions and their relatives.
__constant__ float kG[4][3] = {{1.f, 0.f, 0.f}, {.5f, .5f, .5f}, {.5f, -.5f, .5f}, {0.f, 0.f, 1.f}};

// F(2x2, 3x3): filters to the transformed domain, a thread a filter, tables in constant memory.
extern "C" __global__ void winograd_filters(const float* w, float* u, int count) {
  const int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= count) return;
  float t[4][3];
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 3; ++j) {
      float s = 0.f;
      for (int k = 0; k < 3; ++k) s += kG[i][k] * w[f * 9 + k * 3 + j];
      t[i][j] = s;
    }
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) {
      float s = 0.f;
      for (int k = 0; k < 3; ++k) s += t[i][k] * kG[j][k];
      u[(i * 4 + j) * count + f] = s;
    }
}

// The rest fused: input tiles with overlap into shared memory, 16 products, the inverse transform.
extern "C" __global__ void __launch_bounds__(64)
winograd_fused(const float* __restrict__ x, const float* __restrict__ u, float* __restrict__ y, int C, int K, int H, int W) {
  // 8 x 8 threads: 8 x 8 tiles of 2 x 2 outputs, an 18 x 18 patch of the input
  __shared__ float patch[18][19];
  __shared__ float filt[16];
  const int tx = threadIdx.x, ty = threadIdx.y, t = ty * 8 + tx;
  const int k = blockIdx.z, ox = blockIdx.x * 16, oy = blockIdx.y * 16;
  float m[16];
#pragma unroll
  for (int e = 0; e < 16; ++e) m[e] = 0.f;
  for (int c = 0; c < C; ++c) {
    for (int e = t; e < 18 * 18; e += 64) {
      const int py = e / 18, px = e % 18, gy = oy + py - 1, gx = ox + px - 1;
      patch[py][px] = gy >= 0 && gy < H && gx >= 0 && gx < W ? x[(c * H + gy) * W + gx] : 0.f;
    }
    if (t < 16) filt[t] = u[t * (C * K) + k * C + c];
    __syncthreads();
    float d[4][4], b[4][4];
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
      for (int j = 0; j < 4; ++j) d[i][j] = patch[2 * ty + i][2 * tx + j];
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      b[0][j] = d[0][j] - d[2][j];
      b[1][j] = d[1][j] + d[2][j];
      b[2][j] = d[2][j] - d[1][j];
      b[3][j] = d[1][j] - d[3][j];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      m[i * 4 + 0] += (b[i][0] - b[i][2]) * filt[i * 4 + 0];
      m[i * 4 + 1] += (b[i][1] + b[i][2]) * filt[i * 4 + 1];
      m[i * 4 + 2] += (b[i][2] - b[i][1]) * filt[i * 4 + 2];
      m[i * 4 + 3] += (b[i][1] - b[i][3]) * filt[i * 4 + 3];
    }
    __syncthreads();
  }
  float s[2][4];
#pragma unroll
  for (int j = 0; j < 4; ++j) {
    s[0][j] = m[j] + m[4 + j] + m[8 + j];
    s[1][j] = m[4 + j] - m[8 + j] - m[12 + j];
  }
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int yy = oy + 2 * ty + i, xx = ox + 2 * tx;
    if (yy < H) {
      if (xx < W) y[(k * H + yy) * W + xx] = s[i][0] + s[i][1] + s[i][2];
      if (xx + 1 < W) y[(k * H + yy) * W + xx + 1] = s[i][1] - s[i][2] - s[i][3];
    }
  }
}

// Transposed convolution, gathered: which taps reach an output depends on its residue.
template <int K, int S>
__global__ void conv_transpose(const float* x, const float* w, float* y, int Cin, int H, int W, int P, int OH, int OW) {
  const int n = OH * OW;
  const int co = blockIdx.y;
  for (int o = blockIdx.x * blockDim.x + threadIdx.x; o < n; o += gridDim.x * blockDim.x) {
    const int oy = o / OW, ox = o % OW;
    float acc = 0.f;
    for (int ky = (oy + P) % S; ky < K; ky += S) {
      const int iy = (oy + P - ky) / S;
      if (oy + P < ky || iy >= H) continue;
      for (int kx = (ox + P) % S; kx < K; kx += S) {
        const int ix = (ox + P - kx) / S;
        if (ox + P < kx || ix >= W) continue;
        for (int ci = 0; ci < Cin; ++ci)
          acc += x[(ci * H + iy) * W + ix] * w[((ci * gridDim.y + co) * K + ky) * K + kx];
      }
    }
    y[co * n + o] = acc;
  }
}

// Separable bicubic upscaling by 3/2 with clamped borders, bytes in three channels, 24 fixed-point bits.
__constant__ short kCubic[3][4] = {{0, 256, 0, 0}, {-19, 133, 161, -19}, {-11, 93, 185, -11}};

extern "C" __global__ void bicubic_bytes(const unsigned char* src, unsigned char* dst, int sw, int sh, int dw, int dh) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= dw || y >= dh) return;
  const int px = (2 * x) % 3, py = (2 * y) % 3, ix = 2 * x / 3, iy = 2 * y / 3;
  for (int c = 0; c < 3; ++c) {
    int acc = 0;
#pragma unroll
    for (int j = 0; j < 4; ++j) {
      const int yy = min(max(iy + j - 1, 0), sh - 1);
      int line = 0;
#pragma unroll
      for (int i = 0; i < 4; ++i) line += kCubic[px][i] * src[(yy * sw + min(max(ix + i - 1, 0), sw - 1)) * 3 + c];
      acc += kCubic[py][j] * line;
    }
    dst[(y * dw + x) * 3 + c] = (unsigned char)min(max((acc + 32768) >> 16, 0), 255);
  }
}
