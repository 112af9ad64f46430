// Rows normalised as networks do: softmax in one pass, layer norm and RMS norm over vectors, scores
// of attention with a running maximum, cross entropy.
#include <cuda_fp16.h>

#define FULL 0xffffffffu

struct Running {
  float largest, sum;
};

__device__ __forceinline__ Running merge(Running a, Running b) {
  const float largest = fmaxf(a.largest, b.largest);
  return {largest, a.sum * __expf(a.largest - largest) + b.sum * __expf(b.largest - largest)};
}

// A warp per row, the row read once as float4 and kept in registers.
template <int kVectors>
__global__ void softmax_online(const float4* __restrict__ in, float4* __restrict__ out, int rows) {
  const int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (row >= rows) return;
  const float4* from = in + row * kVectors * 32;
  float4 kept[kVectors];
  Running r{-INFINITY, 0.0f};
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    kept[i] = __ldg(from + i * 32 + lane);
    const float m = fmaxf(fmaxf(kept[i].x, kept[i].y), fmaxf(kept[i].z, kept[i].w));
    const float s = __expf(kept[i].x - m) + __expf(kept[i].y - m) + __expf(kept[i].z - m) +
                    __expf(kept[i].w - m);
    r = merge(r, {m, s});
  }
#pragma unroll
  for (int o = 16; o > 0; o >>= 1) {
    r = merge(r, {__shfl_xor_sync(FULL, r.largest, o), __shfl_xor_sync(FULL, r.sum, o)});
  }
  const float scale = 1.0f / r.sum;
#pragma unroll
  for (int i = 0; i < kVectors; ++i) {
    float4 v = kept[i];
    v.x = __expf(v.x - r.largest) * scale;
    v.y = __expf(v.y - r.largest) * scale;
    v.z = __expf(v.z - r.largest) * scale;
    v.w = __expf(v.w - r.largest) * scale;
    __stcs(out + row * kVectors * 32 + i * 32 + lane, v);
  }
}

__device__ float2 block_sum(float2 v) {
  __shared__ float2 partial[32];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  for (int o = 16; o; o >>= 1) {
    v.x += __shfl_down_sync(FULL, v.x, o);
    v.y += __shfl_down_sync(FULL, v.y, o);
  }
  if (lane == 0) partial[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (int)(blockDim.x >> 5) ? partial[lane] : make_float2(0.0f, 0.0f);
    for (int o = 16; o; o >>= 1) {
      v.x += __shfl_down_sync(FULL, v.x, o);
      v.y += __shfl_down_sync(FULL, v.y, o);
    }
    if (lane == 0) partial[0] = v;
  }
  __syncthreads();
  return partial[0];
}

extern "C" __global__ void layernorm_float4(const float4* in, const float4* weight,
                                            const float4* bias, float4* out, int vectors) {
  const float4* row = in + (long long)blockIdx.x * vectors;
  float2 sums = {0.0f, 0.0f};
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    const float4 v = row[i];
    sums.x += v.x + v.y + v.z + v.w;
    sums.y += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
  }
  sums = block_sum(sums);
  const float mean = sums.x / (4 * vectors);
  const float inverse = rsqrtf(sums.y / (4 * vectors) - mean * mean + 1e-5f);
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) {
    const float4 v = row[i], w = weight[i], b = bias[i];
    out[(long long)blockIdx.x * vectors + i] =
        make_float4((v.x - mean) * inverse * w.x + b.x, (v.y - mean) * inverse * w.y + b.y,
                    (v.z - mean) * inverse * w.z + b.z, (v.w - mean) * inverse * w.w + b.w);
  }
}

// Two rows a block, the row's halves kept in shared memory between the two passes.
extern "C" __global__ void rmsnorm_half2(const __half2* in, const __half2* weight, __half2* out,
                                         int pairs, float epsilon) {
  extern __shared__ __half2 kept[];
  __half2* mine = kept + threadIdx.y * pairs;
  __shared__ float partial[2][4];
  const int row = blockIdx.x * 2 + threadIdx.y;
  float sum = 0.0f;
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    const __half2 h = in[row * pairs + i];
    mine[i] = h;
    const float2 f = __half22float2(h);
    sum = fmaf(f.x, f.x, fmaf(f.y, f.y, sum));
  }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(FULL, sum, o);
  if (threadIdx.x % 32 == 0) partial[threadIdx.y][threadIdx.x / 32] = sum;
  __syncthreads();
  sum = 0.0f;
  for (int w = 0; w < 4; ++w) sum += partial[threadIdx.y][w];
  const __half2 scale = __float2half2_rn(rsqrtf(sum / (2 * pairs) + epsilon));
  for (int i = threadIdx.x; i < pairs; i += blockDim.x) {
    out[row * pairs + i] = __hmul2(__hmul2(mine[i], scale), weight[i]);
  }
}

// One query a thread, keys and values by tiles of 32 in shared memory: exact attention of one head.
template <int kDim>
__global__ void __launch_bounds__(64)
    attention(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
              float* __restrict__ out, int keys, float scale) {
  __shared__ float ks[32][kDim];
  __shared__ float vs[32][kDim];
  const int query = blockIdx.x * 64 + threadIdx.x;
  float mine[kDim], sum[kDim];
#pragma unroll
  for (int d = 0; d < kDim; ++d) {
    mine[d] = q[query * kDim + d] * scale;
    sum[d] = 0.0f;
  }
  float largest = -INFINITY, total = 0.0f;
  for (int first = 0; first < keys; first += 32) {
    __syncthreads();
    for (int i = threadIdx.x; i < 32 * kDim; i += 64) {
      ks[i / kDim][i % kDim] = k[first * kDim + i];
      vs[i / kDim][i % kDim] = v[first * kDim + i];
    }
    __syncthreads();
    for (int j = 0; j < 32; ++j) {
      float score = 0.0f;
#pragma unroll
      for (int d = 0; d < kDim; ++d) score += mine[d] * ks[j][d];
      const float next = fmaxf(largest, score);
      const float keep = __expf(largest - next), weight = __expf(score - next);
      total = total * keep + weight;
#pragma unroll
      for (int d = 0; d < kDim; ++d) sum[d] = sum[d] * keep + weight * vs[j][d];
      largest = next;
    }
  }
#pragma unroll
  for (int d = 0; d < kDim; ++d) out[query * kDim + d] = sum[d] / total;
}

// Scores of one tile of queries and keys with a causal mask: what lies above the diagonal is
// skipped.
extern "C" __global__ void causal_scores(const float* q, const float* k, float* s, int n, int dim) {
  if (blockIdx.x > blockIdx.y) return;
  __shared__ float qs[16][17], ks[16][17];
  const int row = blockIdx.y * 16 + threadIdx.y, col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int d = 0; d < dim; d += 16) {
    qs[threadIdx.y][threadIdx.x] = q[row * dim + d + threadIdx.x];
    ks[threadIdx.y][threadIdx.x] = k[(blockIdx.x * 16 + threadIdx.y) * dim + d + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (int i = 0; i < 16; ++i) sum += qs[threadIdx.y][i] * ks[threadIdx.x][i];
    __syncthreads();
  }
  if (col <= row) s[row * n + col] = sum * rsqrtf((float)dim);
}

extern "C" __global__ void cross_entropy(const float* logits, const unsigned* label, float* loss,
                                         int rows, int classes) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  const float* x = logits + row * classes;
  float largest = x[0];
  for (int c = 1; c < classes; ++c) largest = max(largest, x[c]);
  float sum = 0.0f;
  for (int c = 0; c < classes; ++c) sum += expf(x[c] - largest);
  loss[row] = logf(sum) + largest - x[label[row] % classes];
}
