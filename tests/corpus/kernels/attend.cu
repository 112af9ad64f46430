// Attention as flash attention does it: tiles of keys, running maximum and sum.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

// One query row to 8 lanes of a warp (4 rows to a warp), D = 32, keys in tiles of 32 in shared memory, causal or not.
template <bool kCausal, int kPad>
__global__ void flash_f32(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v,
                          float* __restrict__ o, int n, float scale) {
  constexpr int D = 32;
  __shared__ __align__(16) float ks[32][D + kPad], vs[32][D];
  const int t = threadIdx.x, lane8 = t % 8, row = blockIdx.x * 16 + t / 8;  // 128 threads
  const size_t head = (size_t)blockIdx.y * n * D;
  float4 qv = *(const float4*)(q + head + row * D + lane8 * 4);
  qv.x *= scale;
  qv.y *= scale;
  qv.z *= scale;
  qv.w *= scale;
  float4 acc = make_float4(0, 0, 0, 0);
  float most = -INFINITY, sum = 0.0f;
  const int end = kCausal ? (blockIdx.x * 16 + 16 + 31) / 32 * 32 : n;
  for (int j0 = 0; j0 < end; j0 += 32) {
    __syncthreads();
    for (int i = t; i < 32 * D / 4; i += 128) {
      const int r = i / (D / 4), c = i % (D / 4) * 4;
      *(float4*)&ks[r][c] = *(const float4*)(k + head + (j0 + r) * D + c);
      *(float4*)&vs[r][c] = *(const float4*)(v + head + (j0 + r) * D + c);
    }
    __syncthreads();
#pragma unroll 4
    for (int j = 0; j < 32; ++j) {
      const float4 kv = *(const float4*)&ks[j][lane8 * 4];
      float s = qv.x * kv.x + qv.y * kv.y + qv.z * kv.z + qv.w * kv.w;
      s += __shfl_xor_sync(0xffffffff, s, 1);
      s += __shfl_xor_sync(0xffffffff, s, 2);
      s += __shfl_xor_sync(0xffffffff, s, 4);
      if (kCausal && j0 + j > row) s = -INFINITY;
      const float next = fmaxf(most, s), shrink = __expf(most - next), p = __expf(s - next);
      const float4 w = *(const float4*)&vs[j][lane8 * 4];
      acc.x = acc.x * shrink + p * w.x;
      acc.y = acc.y * shrink + p * w.y;
      acc.z = acc.z * shrink + p * w.z;
      acc.w = acc.w * shrink + p * w.w;
      sum = sum * shrink + p;
      most = next;
    }
  }
  const float r = 1.0f / sum;
  *(float4*)(o + head + row * D + lane8 * 4) = make_float4(acc.x * r, acc.y * r, acc.z * r, acc.w * r);
}

__device__ __forceinline__ unsigned pack(float a, float b) {
  const __half2 h = __floats2half2_rn(a, b);
  return *reinterpret_cast<const unsigned*>(&h);
}
__device__ __forceinline__ void mma(float (&d)[4], const unsigned* a, unsigned b0, unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// Tensor cores: a warp keeps 16 queries in registers, P goes from accumulators to operands without shared memory. D = 64.
extern "C" __global__ void __launch_bounds__(64)
    flash_mma(const __half* __restrict__ q, const __half* __restrict__ k, const __half* __restrict__ v,
              __half* __restrict__ o, int n, float scale_log2) {
  __shared__ __align__(16) __half ks[32 * 64], vs[32 * 64];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5, g = lane >> 2, c2 = (lane & 3) * 2;
  const int row = (blockIdx.x * 2 + warp) * 16;
  const long long head = (long long)blockIdx.y * n * 64;
  auto at = [](int r, int chunk) { return r * 64 + ((chunk ^ (r & 7)) << 3); };
  unsigned fq[4][4];
#pragma unroll
  for (int d = 0; d < 4; ++d) {
    const __half* p = q + head + (row + g) * 64 + d * 16 + c2;
    fq[d][0] = *(const unsigned*)p;
    fq[d][1] = *(const unsigned*)(p + 8 * 64);
    fq[d][2] = *(const unsigned*)(p + 8);
    fq[d][3] = *(const unsigned*)(p + 8 * 64 + 8);
  }
  float acc[8][4] = {}, most[2] = {-1e30f, -1e30f}, sum[2] = {0, 0};
  for (int j0 = 0; j0 < n; j0 += 32) {
    for (int i = t; i < 256; i += 64) {
      const int r = i >> 3, ch = i & 7;
      const unsigned kd = __cvta_generic_to_shared(&ks[at(r, ch)]), vd = __cvta_generic_to_shared(&vs[at(r, ch)]);
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(kd), "l"(k + head + (j0 + r) * 64 + ch * 8));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(vd), "l"(v + head + (j0 + r) * 64 + ch * 8));
    }
    asm volatile("cp.async.commit_group;\ncp.async.wait_group 0;" ::: "memory");
    __syncthreads();
    float s[4][4] = {};
#pragma unroll
    for (int j = 0; j < 4; ++j)
#pragma unroll
      for (int d = 0; d < 4; d += 2) {
        unsigned b[4];
        const unsigned from = __cvta_generic_to_shared(&ks[at(j * 8 + (lane & 7), d * 2 + (lane >> 3))]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(b[0]), "=r"(b[1]), "=r"(b[2]), "=r"(b[3]) : "r"(from));
        mma(s[j], fq[d], b[0], b[1]);
        mma(s[j], fq[d + 1], b[2], b[3]);
      }
#pragma unroll
    for (int h = 0; h < 2; ++h) {
      float next = most[h];
#pragma unroll
      for (int j = 0; j < 4; ++j) next = fmaxf(next, fmaxf(s[j][2 * h], s[j][2 * h + 1]));
      next = fmaxf(next, __shfl_xor_sync(~0u, next, 1));
      next = fmaxf(next, __shfl_xor_sync(~0u, next, 2));
      const float shrink = exp2f((most[h] - next) * scale_log2);
      sum[h] *= shrink;
#pragma unroll
      for (int j = 0; j < 4; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) {
          s[j][2 * h + e] = exp2f((s[j][2 * h + e] - next) * scale_log2);
          sum[h] += s[j][2 * h + e];
        }
#pragma unroll
      for (int d = 0; d < 8; ++d) {
        acc[d][2 * h] *= shrink;
        acc[d][2 * h + 1] *= shrink;
      }
      most[h] = next;
    }
#pragma unroll
    for (int j = 0; j < 2; ++j) {
      const unsigned p[4] = {pack(s[2 * j][0], s[2 * j][1]), pack(s[2 * j][2], s[2 * j][3]),
                             pack(s[2 * j + 1][0], s[2 * j + 1][1]), pack(s[2 * j + 1][2], s[2 * j + 1][3])};
#pragma unroll
      for (int d = 0; d < 8; ++d) {
        unsigned b0, b1;
        const unsigned from = __cvta_generic_to_shared(&vs[at(j * 16 + (lane & 15), d)]);
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];" : "=r"(b0), "=r"(b1) : "r"(from));
        mma(acc[d], p, b0, b1);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int h = 0; h < 2; ++h) {
    sum[h] += __shfl_xor_sync(~0u, sum[h], 1);
    sum[h] += __shfl_xor_sync(~0u, sum[h], 2);
    const float r = 1.0f / sum[h];
#pragma unroll
    for (int d = 0; d < 8; ++d)
      *(unsigned*)(o + head + (row + g + 8 * h) * 64 + d * 8 + c2) = pack(acc[d][2 * h] * r, acc[d][2 * h + 1] * r);
  }
}

// Decoding: one query, the keys cut among warps, caches in bf16 through a page table; merged in shared memory.
extern "C" __global__ void decode_paged(const float* q, const __nv_bfloat162* k, const __nv_bfloat162* v, const int* page,
                                        float* o, int length, int page_mask, float scale) {
  constexpr int D2 = 32, kPage = 16;  // D = 64: a pair to a lane
  __shared__ float2 acc_of[4][D2];
  __shared__ float most_of[4], sum_of[4];
  const int lane = threadIdx.x, warp = threadIdx.y, head = blockIdx.x;
  const float2 mine = reinterpret_cast<const float2*>(q)[head * D2 + lane];
  float most = -1e30f, sum = 0.0f;
  float2 acc = {0, 0};
  for (int j = warp; j < length; j += 4) {
    const int block = page[head * ((length + kPage - 1) / kPage) + j / kPage] & page_mask;
    const int at = (block * kPage + j % kPage) * D2 + lane;
    const float2 key = __bfloat1622float2(k[at]);
    float s = mine.x * key.x + mine.y * key.y;
#pragma unroll
    for (int m = 16; m; m >>= 1) s += __shfl_xor_sync(~0u, s, m);
    s *= scale;
    const float next = fmaxf(most, s), a = __expf(most - next), p = __expf(s - next);
    const float2 val = __bfloat1622float2(v[at]);
    acc.x = acc.x * a + p * val.x;
    acc.y = acc.y * a + p * val.y;
    sum = sum * a + p;
    most = next;
  }
  acc_of[warp][lane] = acc;
  if (lane == 0) {
    most_of[warp] = most;
    sum_of[warp] = sum;
  }
  __syncthreads();
  if (warp == 0) {
    float top = most_of[0];
    for (int w = 1; w < 4; ++w) top = fmaxf(top, most_of[w]);
    float all = 0.0f;
    float2 r = {0, 0};
    for (int w = 0; w < 4; ++w) {
      const float f = __expf(most_of[w] - top);
      all += f * sum_of[w];
      r.x += f * acc_of[w][lane].x;
      r.y += f * acc_of[w][lane].y;
    }
    reinterpret_cast<float2*>(o)[head * D2 + lane] = make_float2(r.x / all, r.y / all);
  }
}

// Rotary embedding in place on halves; pairs half a head apart, tables of cosines made here.
extern "C" __global__ void rotary(__half* x, int tokens, int heads, int d, float base) {
  const int token = blockIdx.x, half = d / 2;
  if (token >= tokens) return;
  for (int i = threadIdx.x; i < heads * half; i += blockDim.x) {
    const int h = i / half, k = i % half;
    __half* p = x + (token * heads + h) * d + k;
    const float angle = token * __powf(base, -2.0f * k / d), c = __cosf(angle), s = __sinf(angle);
    const float a = __half2float(p[0]), b = __half2float(p[half]);
    p[0] = __float2half(a * c - b * s);
    p[half] = __float2half(a * s + b * c);
  }
}
