#include <cuda_fp16.h>
#define MAX_MASK 9
#define FULL 0xffffffffu
__constant__ float gauss5[5][5] = {
    {1, 4, 6, 4, 1}, {4, 16, 24, 16, 4}, {6, 24, 36, 24, 6}, {4, 16, 24, 16, 4}, {1, 4, 6, 4, 1}};
__constant__ float taps[MAX_MASK] = {0.1f, -0.2f, 0.3f, 0.5f, 1.f, 0.5f, 0.3f, -0.2f, 0.1f};

// 1D with halo cells in shared (Kirk & Hwu)
extern "C" __global__ void convolution_1D_halo(const float* N, float* P, int Mask_Width,
                                               int Width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ float N_ds[128 + MAX_MASK - 1];
  int n = Mask_Width / 2;
  int halo_index_left = ((int)blockIdx.x - 1) * (int)blockDim.x + threadIdx.x;
  if (threadIdx.x >= blockDim.x - n)
    N_ds[threadIdx.x - (blockDim.x - n)] = (halo_index_left < 0) ? 0 : N[halo_index_left];
  N_ds[n + threadIdx.x] = i < Width ? N[i] : 0;
  int halo_index_right = (blockIdx.x + 1) * blockDim.x + threadIdx.x;
  if (threadIdx.x < n)
    N_ds[n + blockDim.x + threadIdx.x] = (halo_index_right >= Width) ? 0 : N[halo_index_right];
  __syncthreads();
  float Pvalue = 0;
  for (int j = 0; j < Mask_Width; j++) Pvalue += N_ds[threadIdx.x + j] * taps[j];
  if (i < Width) P[i] = Pvalue;
}
// 2D tiled, block larger than the output tile
#define O_TILE 12
extern "C" __global__ void convolution_2D_tiled(const float* in, float* out, int height, int width,
                                                int pitch) {
  __shared__ float s[O_TILE + 4][O_TILE + 4];
  int tx = threadIdx.x, ty = threadIdx.y;
  int row_o = blockIdx.y * O_TILE + ty, col_o = blockIdx.x * O_TILE + tx;
  int row_i = row_o - 2, col_i = col_o - 2;
  if (row_i >= 0 && row_i < height && col_i >= 0 && col_i < width)
    s[ty][tx] = in[row_i * pitch + col_i];
  else
    s[ty][tx] = 0.0f;
  __syncthreads();
  if (ty < O_TILE && tx < O_TILE) {
    float output = 0.0f;
    for (int i = 0; i < 5; i++)
      for (int j = 0; j < 5; j++) output += gauss5[i][j] * s[i + ty][j + tx];
    if (row_o < height && col_o < width) out[row_o * width + col_o] = output * (1.f / 256);
  }
}
// halo from the cache (the L2 version of chapter 7)
extern "C" __global__ void conv2d_cached_halo(const float* N, float* P, int width, int height) {
  int col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  __shared__ float N_s[8][32];
  N_s[threadIdx.y][threadIdx.x] = (row < height && col < width) ? N[row * width + col] : 0.0f;
  __syncthreads();
  if (col < width && row < height) {
    float p = 0.0f;
    for (int fr = 0; fr < 5; fr++) {
      for (int fc = 0; fc < 5; fc++) {
        int y = (int)threadIdx.y - 2 + fr, x = (int)threadIdx.x - 2 + fc;
        if (x >= 0 && x < 32 && y >= 0 && y < 8)
          p += gauss5[fr][fc] * N_s[y][x];
        else if (row - 2 + fr >= 0 && row - 2 + fr < height && col - 2 + fc >= 0 &&
                 col - 2 + fc < width)
          p += gauss5[fr][fc] * N[(row - 2 + fr) * width + col - 2 + fc];
      }
    }
    P[row * width + col] = p;
  }
}
// direct NCHW forward, weights in dynamic shared
extern "C" __global__ void conv_forward(const float* x, const float* w, const float* bias, float* y,
                                        int C, int H, int W, int M, int K, int stride, int pad) {
  extern __shared__ float ws[];
  int OH = (H + 2 * pad - K) / stride + 1, OW = (W + 2 * pad - K) / stride + 1;
  int m = blockIdx.y, n = blockIdx.z;
  for (int i = threadIdx.x; i < C * K * K; i += blockDim.x) ws[i] = w[m * C * K * K + i];
  __syncthreads();
  int o = blockIdx.x * blockDim.x + threadIdx.x;
  if (o >= OH * OW) return;
  int oh = o / OW, ow = o - oh * OW;
  float acc = bias[m];
  for (int c = 0; c < C; c++)
    for (int p = 0; p < K; p++) {
      int h = oh * stride - pad + p;
      if (h < 0 || h >= H) continue;
      for (int q = 0; q < K; q++) {
        int v = ow * stride - pad + q;
        if (v < 0 || v >= W) continue;
        acc += x[((n * C + c) * H + h) * W + v] * ws[(c * K + p) * K + q];
      }
    }
  y[((n * M + m) * OH + oh) * OW + ow] = fmaxf(acc, 0.f);
}
extern "C" __global__ void im2col(const float* im, float* col, int C, int H, int W, int K, int OH,
                                  int OW, int stride, int pad) {
  for (int idx = blockIdx.x * blockDim.x + threadIdx.x; idx < C * OH * OW;
       idx += gridDim.x * blockDim.x) {
    int ow = idx % OW, oh = (idx / OW) % OH, c = idx / OW / OH;
    float* dst = col + (c * K * K * OH + oh) * OW + ow;
    for (int i = 0; i < K; ++i)
      for (int j = 0; j < K; ++j) {
        int h = oh * stride - pad + i, w = ow * stride - pad + j;
        *dst = (h >= 0 && w >= 0 && h < H && w < W) ? im[(c * H + h) * W + w] : 0;
        dst += OH * OW;
      }
  }
}
// depthwise 3x3 in half, NHWC, two channels a thread
extern "C" __global__ void depthwise_nhwc(const __half2* __restrict__ x,
                                          const __half2* __restrict__ w, __half2* y, int H, int W,
                                          int C2) {
  int c = threadIdx.x, px = blockIdx.x * blockDim.y + threadIdx.y, py = blockIdx.y;
  if (c >= C2 || px >= W) return;
  float2 a = {0, 0};
#pragma unroll
  for (int i = -1; i <= 1; ++i)
#pragma unroll
    for (int j = -1; j <= 1; ++j) {
      if ((unsigned)(py + i) >= (unsigned)H || (unsigned)(px + j) >= (unsigned)W) continue;
      float2 v = __half22float2(x[((py + i) * W + px + j) * C2 + c]),
             k = __half22float2(__ldg(&w[((i + 1) * 3 + j + 1) * C2 + c]));
      a.x += v.x * k.x;
      a.y += v.y * k.y;
    }
  y[(py * W + px) * C2 + c] = __float22half2_rn(a);
}
extern "C" __global__ void maxpool2d(const float* in, float* out, int* arg, int C, int H, int W,
                                     int OH, int OW) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= C * OH * OW) return;
  int x = i % OW, y = i / OW % OH, c = i / (OW * OH);
  float best = -1e30f;
  int at = -1;
  for (int p = 0; p < 3; p++)
    for (int q = 0; q < 3; q++) {
      int h = y * 2 + p, w = x * 2 + q;
      if (h < H && w < W) {
        float v = in[(c * H + h) * W + w];
        if (v > best) {
          best = v;
          at = h * W + w;
        }
      }
    }
  out[i] = best;
  arg[i] = at;
}
extern "C" __global__ void avgpool_global(const float* in, float* out, int HW) {
  __shared__ float part[8];
  const float* p = in + blockIdx.x * HW;
  float s = 0;
  for (int i = threadIdx.x; i < HW; i += blockDim.x) s += p[i];
  for (int o = 16; o > 0; o >>= 1) s += __shfl_xor_sync(FULL, s, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int i = 1; i < blockDim.x / 32; ++i) s += part[i];
    out[blockIdx.x] = s / HW;
  }
}
// softmax: block per row with a tree in shared
extern "C" __global__ void softmax_block(const float* in, float* out, int cols) {
  extern __shared__ float red[];
  const float* x = in + blockIdx.x * cols;
  float* y = out + blockIdx.x * cols;
  int t = threadIdx.x;
  float m = -3.4e38f;
  for (int i = t; i < cols; i += blockDim.x) m = fmaxf(m, x[i]);
  red[t] = m;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) red[t] = fmaxf(red[t], red[t + s]);
    __syncthreads();
  }
  m = red[0];
  __syncthreads();
  float sum = 0;
  for (int i = t; i < cols; i += blockDim.x) {
    float e = __expf(x[i] - m);
    y[i] = e;
    sum += e;
  }
  red[t] = sum;
  __syncthreads();
  for (int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (t < s) red[t] += red[t + s];
    __syncthreads();
  }
  float inv = 1.f / red[0];
  for (int i = t; i < cols; i += blockDim.x) y[i] *= inv;
}
// softmax: warp per row, online, row kept in registers
template <int PER>
__global__ void softmax_warp(const float* in, float* out, int rows, int cols) {
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float v[PER], m = -INFINITY, d = 0.f;
#pragma unroll
  for (int i = 0; i < PER; ++i) {
    int c = i * 32 + threadIdx.x;
    v[i] = c < cols ? in[row * cols + c] : -INFINITY;
    m = fmaxf(m, v[i]);
  }
#pragma unroll
  for (int o = 16; o; o /= 2) m = fmaxf(m, __shfl_xor_sync(FULL, m, o));
#pragma unroll
  for (int i = 0; i < PER; ++i) d += v[i] = expf(v[i] - m);
#pragma unroll
  for (int o = 16; o; o /= 2) d += __shfl_xor_sync(FULL, d, o);
#pragma unroll
  for (int i = 0; i < PER; ++i)
    if (i * 32 + threadIdx.x < cols) out[row * cols + i * 32 + threadIdx.x] = v[i] / d;
}
// layer norm by Welford, float4
struct Welford {
  float mean, m2, n;
  __device__ void add(float x) {
    n += 1;
    float d = x - mean;
    mean += d / n;
    m2 += d * (x - mean);
  }
  __device__ Welford operator+(const Welford& o) const {
    float t = n + o.n;
    if (t == 0) return *this;
    float d = o.mean - mean;
    return {mean + d * o.n / t, m2 + o.m2 + d * d * n * o.n / t, t};
  }
};
extern "C" __global__ void layernorm_welford(const float4* x, const float4* gamma,
                                             const float4* beta, float4* y, int c4, float eps) {
  __shared__ Welford ws[32];
  const float4* row = x + blockIdx.x * c4;
  Welford w = {0, 0, 0};
  for (int i = threadIdx.x; i < c4; i += blockDim.x) {
    float4 v = row[i];
    w.add(v.x);
    w.add(v.y);
    w.add(v.z);
    w.add(v.w);
  }
  for (int o = 16; o; o >>= 1) {
    Welford other = {__shfl_xor_sync(FULL, w.mean, o), __shfl_xor_sync(FULL, w.m2, o),
                     __shfl_xor_sync(FULL, w.n, o)};
    w = w + other;
  }
  if ((threadIdx.x & 31) == 0) ws[threadIdx.x >> 5] = w;
  __syncthreads();
  w = ws[0];
  for (int i = 1; i < (blockDim.x >> 5); ++i) w = w + ws[i];
  float rs = rsqrtf(w.m2 / w.n + eps);
  for (int i = threadIdx.x; i < c4; i += blockDim.x) {
    float4 v = row[i], g = gamma[i], b = beta[i];
    v.x = (v.x - w.mean) * rs * g.x + b.x;
    v.y = (v.y - w.mean) * rs * g.y + b.y;
    v.z = (v.z - w.mean) * rs * g.z + b.z;
    v.w = (v.w - w.mean) * rs * g.w + b.w;
    y[blockIdx.x * c4 + i] = v;
  }
}
extern "C" __global__ void rmsnorm_half(const __half* x, const __half* w, __half* y, int n) {
  __shared__ float s_sum;
  if (threadIdx.x == 0) s_sum = 0.f;
  __syncthreads();
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) {
    float v = __half2float(x[blockIdx.x * n + i]);
    s += v * v;
  }
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(FULL, s, o);
  if (threadIdx.x % 32 == 0) atomicAdd(&s_sum, s);
  __syncthreads();
  float r = rsqrtf(s_sum / n + 1e-5f);
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    y[blockIdx.x * n + i] =
        __float2half(__half2float(x[blockIdx.x * n + i]) * r * __half2float(w[i]));
}
// flash-like forward: Br x Bc tiles, a thread per query row (the minimal version)
extern "C" __global__ void flash_minimal(const float* Q, const float* K, const float* V, float* O,
                                         int N, int d, int Bc, float scale) {
  extern __shared__ float sram[];
  int Br = blockDim.x, tx = threadIdx.x;
  float *Kj = sram, *Vj = Kj + Bc * d, *S = Vj + Bc * d;
  long off = (long)blockIdx.y * N * d;
  int qrow = blockIdx.x * Br + tx;
  float m = -1e30f, l = 0.f;
  if (qrow < N)
    for (int x = 0; x < d; ++x) O[off + qrow * d + x] = 0.f;
  for (int j = 0; j < N; j += Bc) {
    for (int i = tx; i < Bc * d; i += Br) {
      bool in = j + i / d < N;
      Kj[i] = in ? K[off + j * d + i] : 0.f;
      Vj[i] = in ? V[off + j * d + i] : 0.f;
    }
    __syncthreads();
    if (qrow < N) {
      float mj = m;
      int lim = min(Bc, N - j);
      for (int y = 0; y < lim; ++y) {
        float s = 0;
        for (int x = 0; x < d; ++x) s += Q[off + qrow * d + x] * Kj[y * d + x];
        s *= scale;
        S[Bc * tx + y] = s;
        mj = fmaxf(mj, s);
      }
      float corr = __expf(m - mj), lj = 0;
      for (int y = 0; y < lim; ++y) {
        float p = __expf(S[Bc * tx + y] - mj);
        S[Bc * tx + y] = p;
        lj += p;
      }
      for (int x = 0; x < d; ++x) {
        float pv = 0;
        for (int y = 0; y < lim; ++y) pv += S[Bc * tx + y] * Vj[y * d + x];
        O[off + qrow * d + x] = O[off + qrow * d + x] * corr + pv;
      }
      l = l * corr + lj;
      m = mj;
    }
    __syncthreads();
  }
  if (qrow < N)
    for (int x = 0; x < d; ++x) O[off + qrow * d + x] /= l;
}
// causal, warp per query, d = 64 in registers, keys in shared 16 at a time
extern "C" __global__ void __launch_bounds__(128)
    attention_causal_warp(const float* __restrict__ q, const float* __restrict__ k,
                          const float* __restrict__ v, float* __restrict__ o, int n) {
  __shared__ float ks[16][64], vs[16][64];
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  int row = blockIdx.x * 4 + w, last = min(n - 1, (int)blockIdx.x * 4 + 3);
  float2 qq = row < n ? reinterpret_cast<const float2*>(q)[row * 32 + lane] : make_float2(0, 0);
  float2 acc = {0, 0};
  float m = -INFINITY, l = 0;
  for (int j0 = 0; j0 <= last; j0 += 16) {
    for (int i = threadIdx.x; i < 16 * 64; i += 128) {
      bool in = j0 + i / 64 < n;
      ks[i / 64][i % 64] = in ? k[j0 * 64 + i] : 0;
      vs[i / 64][i % 64] = in ? v[j0 * 64 + i] : 0;
    }
    __syncthreads();
    for (int j = 0; j < 16 && j0 + j <= row; ++j) {
      float s = qq.x * ks[j][2 * lane] + qq.y * ks[j][2 * lane + 1];
      for (int x = 16; x; x >>= 1) s += __shfl_xor_sync(FULL, s, x);
      s *= 0.125f;
      float mn = fmaxf(m, s), c = __expf(m - mn), p = __expf(s - mn);
      l = l * c + p;
      acc.x = acc.x * c + p * vs[j][2 * lane];
      acc.y = acc.y * c + p * vs[j][2 * lane + 1];
      m = mn;
    }
    __syncthreads();
  }
  if (row < n) reinterpret_cast<float2*>(o)[row * 32 + lane] = make_float2(acc.x / l, acc.y / l);
}
extern "C" __global__ void rope_inplace(float* x, int heads, int dim, int pos0) {
  int h = blockIdx.y, t = blockIdx.x, i = threadIdx.x;
  if (i >= dim / 2) return;
  float f = powf(10000.f, -2.f * i / dim), s, c;
  sincosf((pos0 + t) * f, &s, &c);
  float* p = x + (t * heads + h) * dim;
  float a = p[i], b = p[i + dim / 2];
  p[i] = a * c - b * s;
  p[i + dim / 2] = a * s + b * c;
}
extern "C" __global__ void embedding_gather(const float4* table, const unsigned* ids, float4* out,
                                            int vocab, int d4) {
  int tok = blockIdx.x * blockDim.y + threadIdx.y;
  unsigned id = ids[tok] % vocab;
  for (int i = threadIdx.x; i < d4; i += blockDim.x) out[tok * d4 + i] = table[id * d4 + i];
}
extern "C" __global__ void adam_step(float* p, const float* g, float* m, float* v, int n, float lr,
                                     float b1, float b2, int step) {
  const float c1 = 1.f - powf(b1, step), c2 = 1.f - powf(b2, step);
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) {
    float gi = g[i];
    float mi = m[i] = b1 * m[i] + (1 - b1) * gi;
    float vi = v[i] = b2 * v[i] + (1 - b2) * gi * gi;
    p[i] -= lr * (mi / c1) / (sqrtf(vi / c2) + 1e-8f);
  }
}
template <typename F>
__device__ void map4(const float* in, float* out, int n, F f) {
  int i = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
  if (i + 3 < n) {
    float4 a = *(const float4*)(in + i);
    *(float4*)(out + i) = make_float4(f(a.x), f(a.y), f(a.z), f(a.w));
  } else
    for (; i < n; ++i) out[i] = f(in[i]);
}
extern "C" __global__ void gelu_vec(const float* in, float* out, int n, float s) {
  map4(in, out, n, [=](float x) {
    return s * 0.5f * x * (1.f + tanhf(0.7978845608f * (x + 0.044715f * x * x * x)));
  });
}
