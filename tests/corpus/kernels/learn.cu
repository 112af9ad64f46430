#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
// Learning and inference.
template <int D>
__global__ void kmeans_assign(const float* points, const float* centres, int* who, float* sums,
                              int* counts, int n, int k) {
  extern __shared__ float s[];
  for (int i = threadIdx.x; i < k * D; i += blockDim.x) s[i] = centres[i];
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float p[D], best = 1e30f;
  int arg = 0;
  for (int d = 0; d < D; ++d) p[d] = points[d * n + i];
  for (int c = 0; c < k; ++c) {
    float e = 0;
    for (int d = 0; d < D; ++d) {
      float t = p[d] - s[c * D + d];
      e += t * t;
    }
    if (e < best) {
      best = e;
      arg = c;
    }
  }
  who[i] = arg;
  for (int d = 0; d < D; ++d) atomicAdd(&sums[arg * D + d], p[d]);
  atomicAdd(&counts[arg], 1);
}
template <int K>
__global__ void knn(const float2* q, const float2* ref, int* out, int nq, int nr) {
  __shared__ float2 tile[64];
  int i = blockIdx.x * 64 + threadIdx.x;
  float dist[K];
  int id[K];
  float2 me = i < nq ? q[i] : make_float2(9, 9);
  for (int k = 0; k < K; ++k) {
    dist[k] = 1e30f;
    id[k] = -1;
  }
  for (int b = 0; b < nr; b += 64) {
    if (b + threadIdx.x < nr) tile[threadIdx.x] = ref[b + threadIdx.x];
    __syncthreads();
    for (int j = 0; j < min(64, nr - b); ++j) {
      float dx = me.x - tile[j].x, dy = me.y - tile[j].y, d = dx * dx + dy * dy;
      if (d >= dist[K - 1]) continue;
      int k = K - 1;
      for (; k > 0 && dist[k - 1] > d; --k) {
        dist[k] = dist[k - 1];
        id[k] = id[k - 1];
      }
      dist[k] = d;
      id[k] = b + j;
    }
    __syncthreads();
  }
  if (i < nq)
    for (int k = 0; k < K; ++k) out[i * K + k] = id[k];
}
struct Node {
  int feature, left;
  float split, value;
};
__global__ void forest(const float4* nodes, const float* x, float* out, int trees, int n,
                       int features) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float s = 0;
  for (int t = 0; t < trees; ++t) {
    int at = 1, depth = 0;
    float4 v;
    do {
      v = nodes[t * 64 + at];
      int f = (int)(fabsf(v.x) * features) % features;
      at = 2 * at + (x[f * n + i] > v.y);
    } while (at < 64 && v.z > -0.6f && ++depth < 6);
    s += v.w;
  }
  out[i] = s;
}
__global__ void embedding_bag(const unsigned* ids, const unsigned* len, const __half* table,
                              __half* out, int dim, int vocab) {
  int bag = blockIdx.x, m = len[bag] % 9;
  for (int d = threadIdx.x; d < dim / 2; d += blockDim.x) {
    float2 s = {0, 0};
    for (int j = 0; j < m; ++j) {
      float2 v = __half22float2(((const __half2*)(table + (ids[bag * 8 + j] % vocab) * dim))[d]);
      s.x += v.x;
      s.y += v.y;
    }
    ((__half2*)(out + bag * dim))[d] = __floats2half2_rn(m ? s.x / m : 0, m ? s.y / m : 0);
  }
}
__global__ void rms_rotary(const __nv_bfloat16* x, const float* gain, __nv_bfloat16* out, int dim,
                           float eps) {
  __shared__ float part[8];
  const __nv_bfloat16* row = x + blockIdx.x * dim;
  float s = 0;
  for (int i = threadIdx.x; i < dim; i += blockDim.x) {
    float v = __bfloat162float(row[i]);
    s += v * v;
  }
  for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = s;
  __syncthreads();
  s = 0;
  for (int w = 0; w < blockDim.x / 32; ++w) s += part[w];
  float inv = rsqrtf(s / dim + eps);
  for (int p = threadIdx.x; p < dim / 2; p += blockDim.x) {
    float a = __bfloat162float(row[p]) * inv * gain[p],
          b = __bfloat162float(row[p + dim / 2]) * inv * gain[p + dim / 2], sn, cs;
    __sincosf(blockIdx.x * exp2f(-13.28f * p / (dim / 2)), &sn, &cs);
    out[blockIdx.x * dim + p] = __float2bfloat16(a * cs - b * sn);
    out[blockIdx.x * dim + p + dim / 2] = __float2bfloat16(a * sn + b * cs);
  }
}
__global__ void layernorm_welford(const float4* x, float4* y, int quads) {  // a warp per row
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  const float4* r = x + row * quads;
  float mean = 0, m2 = 0, n = 0;
  for (int i = threadIdx.x; i < quads; i += 32) {
    float4 v = r[i];
    float e[4] = {v.x, v.y, v.z, v.w};
    for (int k = 0; k < 4; ++k) {
      n += 1;
      float d = e[k] - mean;
      mean += d / n;
      m2 += d * (e[k] - mean);
    }
  }
  for (int o = 16; o; o >>= 1) {
    float mb = __shfl_xor_sync(~0u, mean, o), b2 = __shfl_xor_sync(~0u, m2, o),
          nb = __shfl_xor_sync(~0u, n, o), d = mb - mean, t = n + nb;
    if (t > 0) {
      mean += d * nb / t;
      m2 += b2 + d * d * n * nb / t;
    }
    n = t;
  }
  float inv = rsqrtf(m2 / n + 1e-5f);
  for (int i = threadIdx.x; i < quads; i += 32) {
    float4 v = r[i];
    y[row * quads + i] =
        make_float4((v.x - mean) * inv, (v.y - mean) * inv, (v.z - mean) * inv, (v.w - mean) * inv);
  }
}
__global__ void topk_warp(const float* x, float* vals, int* ids, int n,
                          int k) {  // a warp per row, repeated argmax
  int row = blockIdx.x, lane = threadIdx.x;
  const float* r = x + row * n;
  unsigned taken = 0;
  for (int j = 0; j < k; ++j) {
    float best = -1e30f;
    int at = -1;
    for (int i = lane, b = 0; i < n; i += 32, ++b)
      if (!(taken >> b & 1) && r[i] > best) {
        best = r[i];
        at = i;
      }
    for (int o = 16; o; o >>= 1) {
      float v = __shfl_xor_sync(~0u, best, o);
      int a = __shfl_xor_sync(~0u, at, o);
      if (v > best || (v == best && a > at)) {
        best = v;
        at = a;
      }
    }
    if (lane == (at & 31)) {
      taken |= 1u << (at >> 5);
      vals[row * k + j] = best;
      ids[row * k + j] = at;
    }
  }
}
__global__ void nucleus_sample(const float* logits, const float* u, int* token, int n,
                               float temperature) {  // one block: softmax, scan, search
  __shared__ float p[256], red[256];
  int t = threadIdx.x;
  float v = t < n ? logits[blockIdx.x * n + t] / temperature : -1e30f;
  red[t] = v;
  __syncthreads();
  for (int h = 128; h; h >>= 1) {
    if (t < h) red[t] = fmaxf(red[t], red[t + h]);
    __syncthreads();
  }
  p[t] = t < n ? __expf(v - red[0]) : 0;
  __syncthreads();
  for (int o = 1; o < 256; o <<= 1) {
    float q = t >= o ? p[t - o] : 0;
    __syncthreads();
    p[t] += q;
    __syncthreads();
  }
  float target = (u[blockIdx.x] * 0.5f + 0.5f) * p[255];
  if (p[t] >= target && (t == 0 || p[t - 1] < target)) token[blockIdx.x] = t;
}
__global__ void int4_gemv(const unsigned* w, const __half* scales, const __half* x, float* y,
                          int cols) {  // a warp per row, 8 weights a word, groups of 64
  int row = blockIdx.x * blockDim.y + threadIdx.y;
  float s = 0;
  for (int c = threadIdx.x; c < cols / 8; c += 32) {
    unsigned q = w[row * cols / 8 + c];
    float g = __half2float(scales[(row * cols + c * 8) / 64]), t = 0;
#pragma unroll
    for (int k = 0; k < 8; ++k)
      t += (float)((int)(q >> 4 * k & 15) - 8) * __half2float(x[c * 8 + k]);
    s += t * g;
  }
  for (int o = 16; o; o >>= 1) s += __shfl_down_sync(~0u, s, o);
  if (threadIdx.x == 0) y[row] = s;
}
__global__ void fp8_quantise(const float* x, __nv_fp8_e4m3* q, __nv_fp8_e5m2* q2, float* scale,
                             int n) {
  float m = 0;
  int base = blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += 32) m = fmaxf(m, fabsf(x[base + i]));
  m = __uint_as_float(__reduce_max_sync(~0u, __float_as_uint(m)));
  for (int i = threadIdx.x; i < n; i += 32) {
    q[base + i] = __nv_fp8_e4m3(x[base + i] * 448.f / m);
    q2[base + i] = __nv_fp8_e5m2(x[base + i]);
  }
  if (threadIdx.x == 0) scale[blockIdx.x] = m / 448.f + (float)q[base] * 0;
}
__global__ void block_sparse_attention(const float* q, const float* k, const float* v,
                                       const unsigned* mask, float* out,
                                       int len) {  // head size 32, a warp per query; 16-key blocks
  int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (row >= len) return;
  float mine = q[row * 32 + lane], m = -1e30f, z = 0, acc = 0;
  for (int b = 0; b * 16 <= row; ++b) {
    if (!(mask[row / 16] >> b & 1) && b * 16 + 16 <= row) continue;
    for (int j = b * 16; j < b * 16 + 16 && j <= row; ++j) {
      float s = mine * k[j * 32 + lane];
#pragma unroll
      for (int o = 16; o; o >>= 1) s += __shfl_xor_sync(~0u, s, o);
      float top = fmaxf(m, s), f = __expf(m - top), e = __expf(s - top);
      z = z * f + e;
      acc = acc * f + e * v[j * 32 + lane];
      m = top;
    }
  }
  out[row * 32 + lane] = acc / z;
}
__global__ void moe_gate(const float* logits, int* expert, int* slot, int* counts,
                         int n) {  // 8 experts, top 2 per token
  __shared__ int local[8], base[8];
  if (threadIdx.x < 8) local[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x, e1 = 0, e2 = -1;
  if (i < n) {
    for (int e = 1; e < 8; ++e)
      if (logits[i * 8 + e] > logits[i * 8 + e1]) e1 = e;
    for (int e = 0; e < 8; ++e)
      if (e != e1 && (e2 < 0 || logits[i * 8 + e] > logits[i * 8 + e2])) e2 = e;
    expert[2 * i] = e1;
    expert[2 * i + 1] = e2;
  }
  int a = i < n ? atomicAdd(&local[e1], 1) : 0, b = i < n ? atomicAdd(&local[e2], 1) : 0;
  __syncthreads();
  if (threadIdx.x < 8) base[threadIdx.x] = atomicAdd(&counts[threadIdx.x], local[threadIdx.x]);
  __syncthreads();
  if (i < n) {
    slot[2 * i] = base[e1] + a;
    slot[2 * i + 1] = base[e2] + b;
  }
}
__global__ void adam(float* p, const __half* g, float* m, float* v, float lr, float b1, float b2,
                     int step, int n) {
  float c1 = 1 - powf(b1, step), c2 = 1 - powf(b2, step);
  for (int i = 4 * (blockIdx.x * blockDim.x + threadIdx.x); i < n; i += 4 * gridDim.x * blockDim.x)
#pragma unroll
    for (int k = 0; k < 4; ++k)
      if (i + k < n) {
        float gr = __half2float(g[i + k]), mm = m[i + k] = b1 * m[i + k] + (1 - b1) * gr,
              vv = v[i + k] = b2 * fabsf(v[i + k]) + (1 - b2) * gr * gr;
        p[i + k] -= lr * (mm / c1) / (sqrtf(vv / c2) + 1e-8f);
      }
}
