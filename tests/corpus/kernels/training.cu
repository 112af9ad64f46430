// Backward passes and optimisers.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// Batch norm backward, NCHW, a block a channel.
struct Pair {
  float dy, dyx;
  __device__ Pair operator+(const Pair& o) const { return {dy + o.dy, dyx + o.dyx}; }
};

template <int THREADS>
__device__ Pair reduce_pairs(Pair v) {
  constexpr int kWarps = THREADS / 32;
  __shared__ Pair warps[kWarps];
#pragma unroll
  for (int mask = 1; mask < 32; mask *= 2) {
    const Pair other = {__shfl_xor_sync(~0u, v.dy, mask), __shfl_xor_sync(~0u, v.dyx, mask)};
    v = v + other;
  }
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = warps[0];
#pragma unroll
  for (int w = 1; w < kWarps; ++w) v = v + warps[w];
  return v;
}

template <int THREADS>
__global__ void __launch_bounds__(THREADS, 2)
batchnorm_backward(const float* x, const float* dy, const float* mean, const float* gamma, float* dx, float* dgamma,
                   float* dbeta, int N, int C, int HW) {
  const int c = blockIdx.x;
  const float mu = mean[c], inv = 1.7320508f;
  Pair p = {0.f, 0.f};
  for (int i = threadIdx.x; i < N * HW; i += THREADS) {
    const int n = i / HW, at = (n * C + c) * HW + i - n * HW;
    p.dy += dy[at];
    p.dyx += dy[at] * (x[at] - mu) * inv;
  }
  p = reduce_pairs<THREADS>(p);
  const float m = 1.f / (N * HW), g = gamma[c] * inv;
  for (int i = threadIdx.x; i < N * HW; i += THREADS) {
    const int n = i / HW, at = (n * C + c) * HW + i - n * HW;
    const float xh = (x[at] - mu) * inv;
    dx[at] = g * (dy[at] - m * p.dy - xh * m * p.dyx);
  }
  if (threadIdx.x == 0) {
    dgamma[c] = p.dyx;
    dbeta[c] = p.dy;
  }
}

// Layer norm's dgamma and dbeta: columns summed over rows, 32 x 8 threads, half inputs.
__global__ void layernorm_dgamma(const __half* __restrict__ dy, const __half* __restrict__ x,
                                 const float2* __restrict__ stats, float* dgamma, float* dbeta, int rows, int cols) {
  __shared__ float g[8][33], b[8][33];
  const int c = blockIdx.x * 32 + threadIdx.x;
  float gs = 0.f, bs = 0.f;
  if (c < cols)
#pragma unroll 4
    for (int r = threadIdx.y; r < rows; r += 8) {
      const float d = __half2float(dy[(size_t)r * cols + c]);
      const float2 s = stats[r];
      gs += d * (__half2float(x[(size_t)r * cols + c]) - s.x) * s.y;
      bs += d;
    }
  g[threadIdx.y][threadIdx.x] = gs;
  b[threadIdx.y][threadIdx.x] = bs;
#pragma unroll
  for (int h = 4; h > 0; h >>= 1) {
    __syncthreads();
    if (threadIdx.y < h) {
      g[threadIdx.y][threadIdx.x] += g[threadIdx.y + h][threadIdx.x];
      b[threadIdx.y][threadIdx.x] += b[threadIdx.y + h][threadIdx.x];
    }
  }
  if (threadIdx.y == 0 && c < cols) {
    dgamma[c] = g[0][threadIdx.x];
    dbeta[c] = b[0][threadIdx.x];
  }
}

// AdamW over several tensors at once; a table in constant memory says where each chunk lies.
struct Chunk {
  int begin, length;
  float lr, decay;
  short group;
  char nesterov;
};  // 20 bytes

__constant__ Chunk kChunks[6] = {{0, 100, 1e-2f, 0.f, 0, 0},    {100, 257, 1e-3f, 0.1f, 1, 1}, {357, 64, 3e-3f, 0.f, 0, 1},
                                 {421, 31, 1e-2f, 0.01f, 1, 0}, {452, 300, 2e-3f, 0.f, 2, 0},  {752, 1, 1e-1f, 0.5f, 2, 1}};

__global__ void adamw_chunks(__nv_bfloat16* param, float* master, const __nv_bfloat16* grad, float* m, float* v,
                             float b1, float b2, float eps, int step) {
  const Chunk ch = kChunks[blockIdx.x];
  float c1 = 1.f, c2 = 1.f, p1 = b1, p2 = b2;
  for (int e = step; e; e >>= 1) {  // b^step by squaring
    if (e & 1) c1 *= p1, c2 *= p2;
    p1 *= p1, p2 *= p2;
  }
  c1 = 1.f / (1.f - c1);
  c2 = 1.f / (1.f - c2);
  for (int k = threadIdx.x; k < ch.length; k += blockDim.x) {
    const int i = ch.begin + k;
    const float g = __bfloat162float(grad[i]);
    const float mi = m[i] = fmaf(b1, m[i], (1.f - b1) * g);
    const float vi = v[i] = fmaf(b2, fabsf(v[i]), (1.f - b2) * g * g);
    float up = mi * c1;
    if (ch.nesterov) up = fmaf(b1, up, (1.f - b1) * g * c1);
    float w = master[i];
    w -= ch.lr * (up / (sqrtf(vi * c2) + eps) + ch.decay * w);
    master[i] = w;
    // stochastic rounding by a hash of the index
    unsigned h = i * 0x9e3779b1u + step;
    h ^= h >> 15, h *= 0x85ebca77u, h ^= h >> 13;
    const unsigned bits = __float_as_uint(w) + (h & 0xffff);
    reinterpret_cast<unsigned short*>(param)[i] = (unsigned short)(bits >> 16);
  }
}

// Dropout with a Philox 4x32-10 of one's own; four elements a call; the mask packed by ballots.
__device__ __forceinline__ uint4 philox4x32_10(uint4 c, uint2 k) {
#pragma unroll
  for (int r = 0; r < 10; ++r) {
    const unsigned h0 = __umulhi(0xD2511F53u, c.x), l0 = 0xD2511F53u * c.x;
    const unsigned h1 = __umulhi(0xCD9E8D57u, c.z), l1 = 0xCD9E8D57u * c.z;
    c = make_uint4(h1 ^ c.y ^ k.x, l1, h0 ^ c.w ^ k.y, l0);
    k.x += 0x9E3779B9u;
    k.y += 0xBB67AE85u;
  }
  return c;
}

__global__ void dropout_philox(const float* x, float* y, unsigned* mask, int n, unsigned keep_below, float scale,
                               unsigned long long seed) {
  const int threads = gridDim.x * blockDim.x, id = blockIdx.x * blockDim.x + threadIdx.x;
  const int rounds = (n + threads * 4 - 1) / (threads * 4);
  for (int r = 0; r < rounds; ++r) {
    const uint4 u = philox4x32_10(make_uint4(id, r, 0, 0), make_uint2((unsigned)seed, (unsigned)(seed >> 32)));
    const unsigned w[4] = {u.x, u.y, u.z, u.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      const int i = (r * 4 + k) * threads + id;
      const bool keep = i < n && w[k] < keep_below;
      if (i < n) y[i] = keep ? x[i] * scale : 0.f;
      const unsigned bits = __ballot_sync(~0u, keep);
      if (i % 32 == 0 && i < n) mask[i / 32] = bits;
    }
  }
}

// Gradient of the weights of a strided 1-d convolution: a block a (tap, output channel), atomics at the end.
__global__ void conv1d_wgrad(const float* x, const float* dy, float* dw, int batch, int in_c, int len, int out_c,
                             int out_len, int stride, int pad) {
  const int tap = blockIdx.x, oc = blockIdx.y, taps = gridDim.x;
  for (int ic = threadIdx.y; ic < in_c; ic += blockDim.y) {
    float acc = 0.f;
    for (int i = threadIdx.x; i < batch * out_len; i += blockDim.x) {
      const int b = i / out_len, o = i % out_len;
      const int p = o * stride + tap - pad;
      if ((unsigned)p < (unsigned)len) acc = fmaf(x[(b * in_c + ic) * len + p], dy[(b * out_c + oc) * out_len + o], acc);
    }
    atomicAdd(&dw[(oc * in_c + ic) * taps + tap], acc);
  }
}

// Label-smoothed softmax cross entropy and its gradient, a warp a row, register resident.
template <int PER>
__global__ void xent_smooth(const float* logits, const unsigned char* labels, float* loss, float* grad, int rows, int classes,
                            float smooth) {
  const int lane = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  const int label = labels[row] % classes;
  float v[PER], m = -INFINITY, total = 0.f;
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    const int c = k * 32 + lane;
    v[k] = c < classes ? logits[row * classes + c] * 3.f : -INFINITY;
    m = fmaxf(m, v[k]);
    total += c < classes ? v[k] : 0.f;
  }
  for (int o = 16; o; o >>= 1) m = fmaxf(m, __shfl_xor_sync(~0u, m, o)), total += __shfl_xor_sync(~0u, total, o);
  float z = 0.f;
#pragma unroll
  for (int k = 0; k < PER; ++k) z += expf(v[k] - m);
  for (int o = 16; o; o >>= 1) z += __shfl_xor_sync(~0u, z, o);
  const float lse = m + logf(z), off = smooth / classes;
#pragma unroll
  for (int k = 0; k < PER; ++k) {
    const int c = k * 32 + lane;
    if (c < classes) {
      const float target = off + (c == label ? 1.f - smooth : 0.f);
      grad[row * classes + c] = 3.f * (expf(v[k] - lse) - target);
      if (c == label) loss[row] = lse - (1.f - smooth) * v[k] - off * total;
    }
  }
}
