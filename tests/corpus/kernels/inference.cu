// Forward layers of networks.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

// EmbeddingBag: bags end where a (sorted, made here) offset says; sum, mean or max; float2 wide.
enum Mode { kSum, kMean, kMax };

template <Mode M>
__global__ void embedding_bag(const float2* __restrict__ table, const unsigned char* __restrict__ ids,
                              const unsigned short* __restrict__ lengths, float2* __restrict__ out, int bags,
                              int dim2, int longest) {
  const int bag = blockIdx.x * blockDim.y + threadIdx.y;
  if (bag >= bags) return;
  const int len = lengths[bag] % (longest + 1);
  const unsigned char* const mine = ids + bag * longest;
  for (int d = threadIdx.x; d < dim2; d += blockDim.x) {
    float2 acc = M == kMax ? make_float2(-3.4e38f, -3.4e38f) : make_float2(0.f, 0.f);
    for (int k = 0; k < len; ++k) {
      const float2 e = __ldg(&table[mine[k] * dim2 + d]);
      if (M == kMax) {
        acc.x = fmaxf(acc.x, e.x);
        acc.y = fmaxf(acc.y, e.y);
      } else {
        acc.x += e.x;
        acc.y += e.y;
      }
    }
    if (len == 0) acc = make_float2(0.f, 0.f);
    if (M == kMean && len) acc.x /= len, acc.y /= len;
    out[bag * dim2 + d] = acc;
  }
}

// Rotary embedding in place, half2 pairs (i, i + rotary/2), the rest of the head passes.
__global__ void rope_neox(__half* q, const unsigned short* positions, int tokens, int heads, int head_dim, int rotary) {
  const int half_r = rotary / 2;
  const int total = tokens * heads * half_r;
  for (int id = blockIdx.x * blockDim.x + threadIdx.x; id < total; id += gridDim.x * blockDim.x) {
    const int i = id % half_r, th = id / half_r;
    const int token = th / heads;
    const float freq = exp2f(-13.28771238f * (2.f * i / rotary));
    float s, c;
    sincosf((positions[token] & 2047) * freq, &s, &c);
    __half* base = q + th * head_dim;
    const float x = __half2float(base[i]), y = __half2float(base[i + half_r]);
    base[i] = __float2half_rn(x * c - y * s);
    base[i + half_r] = __float2half_rn(x * s + y * c);
  }
}

// Bias and GELU, two bfloat16 at a time, exact or by tanh; an odd column count leaves a last one.
template <bool Exact>
__device__ __forceinline__ float gelu(float x) {
  if (Exact) return 0.5f * x * (1.f + erff(x * 0.70710678f));
  return 0.5f * x * (1.f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));
}

template <bool Exact>
__global__ void bias_gelu_bf16(__nv_bfloat16* x, const __nv_bfloat16* bias, int n, int cols) {
  const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (i + 1 < n) {
    __nv_bfloat162* const p = reinterpret_cast<__nv_bfloat162*>(x + i);
    const int c = i % cols;
    const __nv_bfloat162 b = __halves2bfloat162(bias[c], bias[c + 1 == cols ? 0 : c + 1]);
    const float2 v = __bfloat1622float2(__hadd2(*p, b));
    *p = __floats2bfloat162_rn(gelu<Exact>(v.x), gelu<Exact>(v.y));
  } else if (i < n) {
    x[i] = __float2bfloat16(gelu<Exact>(__bfloat162float(x[i]) + __bfloat162float(bias[i % cols])));
  }
}

// GroupNorm, NCHW, a block a (sample, group), 3-D block, sums of warps in shared memory.
__global__ void group_norm(const float* x, const float* gamma, const float* beta, float* y, int C, int HW, int groups) {
  __shared__ float2 sums[32];
  const int per = C / groups, tid = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
  const int threads = blockDim.x * blockDim.y * blockDim.z;
  const size_t base = ((size_t)blockIdx.y * C + blockIdx.x * per) * HW;
  const int n = per * HW;
  float s = 0.f, ss = 0.f;
  for (int i = tid; i < n; i += threads) {
    const float v = x[base + i];
    s += v;
    ss += v * v;
  }
  for (int o = 16; o; o >>= 1) {
    s += __shfl_down_sync(0xffffffffu, s, o);
    ss += __shfl_down_sync(0xffffffffu, ss, o);
  }
  if (tid % 32 == 0) sums[tid / 32] = make_float2(s, ss);
  __syncthreads();
  s = ss = 0.f;
  for (int k = 0; k < threads / 32; ++k) s += sums[k].x, ss += sums[k].y;
  const float mu = s / n, var = fmaxf(ss / n - mu * mu, 0.f), inv = 1.f / sqrtf(var + 1e-5f);
  for (int c = threadIdx.z; c < per; c += blockDim.z) {
    const float g = gamma[blockIdx.x * per + c] * inv, b = beta[blockIdx.x * per + c] - mu * g;
    for (int i = threadIdx.y * blockDim.x + threadIdx.x; i < HW; i += blockDim.x * blockDim.y)
      y[base + c * HW + i] = fmaf(x[base + c * HW + i], g, b);
  }
}

// An LSTM cell: the four gates' products in shared memory, then the state, a block a sample.
__device__ float sigmoid(float v) { return 1.f / (1.f + expf(-v)); }

__global__ void lstm_cell(const float* x, const float* h, const float* c, const float* w, const float* bias,
                          float* h_out, float* c_out, int in, int hidden) {
  extern __shared__ float sm[];
  float *xs = sm, *hs = xs + in, *gates = hs + hidden;
  const int s = blockIdx.x, t = threadIdx.x;
  for (int i = t; i < in + hidden; i += blockDim.x) sm[i] = i < in ? x[s * in + i] : h[s * hidden + i - in];
  __syncthreads();
  const int width = in + hidden;
  for (int g = t; g < 4 * hidden; g += blockDim.x) {
    float acc = bias[g];
    for (int k = 0; k < width; ++k) acc += w[g * width + k] * sm[k];
    switch (g / hidden) {
      case 0: case 1: acc = sigmoid(acc); break;
      case 2: acc = tanhf(acc); break;
      default: acc = sigmoid(acc + 1.f);
    }
    gates[g] = acc;
  }
  __syncthreads();
  for (int j = t; j < hidden; j += blockDim.x) {
    const float cell = gates[hidden + j] * c[s * hidden + j] + gates[j] * gates[2 * hidden + j];
    c_out[s * hidden + j] = cell;
    h_out[s * hidden + j] = gates[3 * hidden + j] * tanhf(cell);
  }
}

// Rows to int8 by their absolute maximum; a block a row, char4 stores and a ragged tail.
__global__ void quantize_rows(const float* x, signed char* q, float* scale, int cols) {
  __shared__ unsigned top;
  const float* row = x + blockIdx.x * cols;
  if (threadIdx.x == 0) top = 0;
  __syncthreads();
  float m = 0.f;
  for (int c = threadIdx.x; c < cols; c += blockDim.x) m = fmaxf(m, fabsf(row[c]));
  const unsigned bits = __reduce_max_sync(0xffffffffu, __float_as_uint(m));
  if ((threadIdx.x & 31) == 0) atomicMax(&top, bits);
  __syncthreads();
  const float s = __uint_as_float(top) / 127.f;
  signed char* dst = q + blockIdx.x * cols;
  const int quads = cols / 4;
  for (int k = threadIdx.x; k < quads; k += blockDim.x) {
    char4 v;
    v.x = (signed char)__float2int_rn(row[4 * k] / s);
    v.y = (signed char)__float2int_rn(row[4 * k + 1] / s);
    v.z = (signed char)__float2int_rn(row[4 * k + 2] / s);
    v.w = (signed char)__float2int_rn(row[4 * k + 3] / s);
    if (cols % 4 == 0)
      reinterpret_cast<char4*>(dst)[k] = v;
    else
      dst[4 * k] = v.x, dst[4 * k + 1] = v.y, dst[4 * k + 2] = v.z, dst[4 * k + 3] = v.w;
  }
  for (int c = quads * 4 + threadIdx.x; c < cols; c += blockDim.x) dst[c] = (signed char)__float2int_rn(row[c] / s);
  if (threadIdx.x == 0) scale[blockIdx.x] = s;
}

// y = W x with W of 4-bit weights, groups of 32 with a half scale and a 4-bit zero point.
__global__ void gemv_int4(const unsigned* __restrict__ packed, const __half* __restrict__ scales,
                          const unsigned char* __restrict__ zeros, const float* __restrict__ x, float* __restrict__ y,
                          int rows, int cols) {
  const int row = blockIdx.x * (blockDim.x / 16) + threadIdx.x / 16;
  const int lane = threadIdx.x & 15;
  const int groups = cols / 32;
  float acc = 0.f;
  if (row < rows)
    for (int g = lane; g < groups; g += 16) {
      const float scale = __half2float(scales[row * groups + g]);
      const int zero = zeros[(row * groups + g) / 2] >> 4 * ((row * groups + g) & 1) & 15;
      const uint4 words = reinterpret_cast<const uint4*>(packed)[row * groups + g];
      const unsigned w[4] = {words.x, words.y, words.z, words.w};
      float part = 0.f;
#pragma unroll
      for (int k = 0; k < 32; ++k) part += (float)((int)(w[k / 8] >> 4 * (k % 8) & 15) - zero) * x[g * 32 + k];
      acc += part * scale;
    }
  for (int o = 8; o; o >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, o, 16);
  if (lane == 0 && row < rows) y[row] = acc;
}

// Blocks of 32 values to e5m2 and e4m3 with a shared power-of-two scale, and back.
__global__ void mx_fp8(const float* x, unsigned char* codes, signed char* exps, float* back, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = i < n ? x[i] : 0.f;
  v *= (float)(1 << (i / 32 % 20));
  unsigned m = __float_as_uint(fabsf(v)) >> 23;
  m = __reduce_max_sync(0xffffffffu, m);
  const int e = (int)m - 127 - 6;
  const float scaled = ldexpf(v, -e);
  __nv_fp8_storage_t code;
  float r;
  if ((i / 32) & 1) {
    code = __nv_cvt_float_to_fp8(scaled, __NV_SATFINITE, __NV_E5M2);
    r = __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E5M2)));
  } else {
    code = __nv_cvt_float_to_fp8(scaled, __NV_SATFINITE, __NV_E4M3);
    r = __half2float(__half(__nv_cvt_fp8_to_halfraw(code, __NV_E4M3)));
  }
  if (i < n) {
    codes[i] = code;
    back[i] = ldexpf(r, e);
  }
  if (threadIdx.x % 32 == 0 && i < n) exps[i / 32] = (signed char)e;
}

// Average pooling, any window, padding not counted, ceil mode; grid.z is the plane.
template <int KH, int KW>
__global__ void avg_pool(const float* x, float* y, int H, int W, int OH, int OW, int sh, int sw, int ph, int pw) {
  const int ox = blockIdx.x * blockDim.x + threadIdx.x, oy = blockIdx.y * blockDim.y + threadIdx.y;
  if (ox >= OW || oy >= OH) return;
  const float* plane = x + blockIdx.z * H * W;
  const int y0 = max(oy * sh - ph, 0), x0 = max(ox * sw - pw, 0);
  const int y1 = min(oy * sh - ph + KH, H), x1 = min(ox * sw - pw + KW, W);
  float s = 0.f;
  for (int yy = y0; yy < y1; ++yy)
    for (int xx = x0; xx < x1; ++xx) s += plane[yy * W + xx];
  const int n = (y1 - y0) * (x1 - x0);
  y[(blockIdx.z * OH + oy) * OW + ox] = n > 0 ? s / n : 0.f;
}

// Pixel shuffle of 16-bit values followed by a ReLU6-like clamp in half2 arithmetic.
template <int R>
__global__ void pixel_shuffle(const __half* in, __half* out, int C, int H, int W) {
  const int total = C * H * W * R * R / 2;
  const __half2 lo = __float2half2_rn(0.f), hi = __float2half2_rn(0.75f);
  for (int p = blockIdx.x * blockDim.x + threadIdx.x; p < total; p += gridDim.x * blockDim.x) {
    __half v[2];
#pragma unroll
    for (int k = 0; k < 2; ++k) {
      int o = 2 * p + k;
      const int ox = o % (W * R);
      o /= W * R;
      const int oy = o % (H * R), c = o / (H * R);
      v[k] = in[(((c * R + oy % R) * R + ox % R) * H + oy / R) * W + ox / R];
    }
    __half2 pair = __halves2half2(v[0], v[1]);
    pair = __hmin2(__hmax2(pair, lo), hi);
    reinterpret_cast<__half2*>(out)[p] = __hfma2(pair, __float2half2_rn(2.f), __float2half2_rn(-0.5f));
  }
}
