// Reads by way of constant and local memory, and tiles as compilers of tiles write them.
#include <cuda_bf16.h>
#include <stdint.h>
__constant__ float table[1024];
struct Weights {
  float w[64];
};
__device__ unsigned place(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

// Lane i reads word i / group * step: 32 / group distinct addresses.
__global__ void constant_lanes(float* out, int group, int step, int times) {
  float sum = 0;
  for (int i = 0; i < times; ++i) sum += table[(threadIdx.x % 32 / group * step + i) % 1024];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void constant_half(float* out, int from) {
  float sum = 1;
  if (threadIdx.x % 32 >= from) sum = table[threadIdx.x % 32 - from];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}
__global__ void constant_pairs(float* out, int step) {
  const float2 v = reinterpret_cast<const float2*>(table)[threadIdx.x % 32 * step];
  out[blockIdx.x * blockDim.x + threadIdx.x] = v.x - v.y;
}
__global__ void parameter_lanes(const __grid_constant__ Weights weights, float* out, int mask) {
  out[blockIdx.x * blockDim.x + threadIdx.x] = weights.w[threadIdx.x & mask];
}
__global__ void constant_block(const float* in, float* out, int taps) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0;
#pragma unroll 1
  for (int k = 0; k < taps; ++k) sum += table[k] * in[i + k];
  out[i] = sum;
}

__global__ void local_index(const float* in, const int* at, float* out) {
  float held[16];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 16; ++i) held[i] = in[i * 64 + threadIdx.x % 64];
  for (int i = 0; i < 4; ++i) held[at[t * 4 + i] & 15] += i;
  out[t] = held[at[t] & 15] + held[threadIdx.x & 15];
}
__global__ void local_sort(const int* in, int* out, int count) {
  int held[24];
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  for (int i = 0; i < count; ++i) held[i] = in[t * count + i];
  for (int i = 1; i < count; ++i) {
    const int moved = held[i];
    int to = i - 1;
    for (; to >= 0 && held[to] > moved; --to) held[to + 1] = held[to];
    held[to + 1] = moved;
  }
  for (int i = 0; i < count; ++i) out[t * count + i] = held[i];
}
__global__ __launch_bounds__(1024, 2) void local_spills(const float* in, float* out, int n) {
  float a[40];
#pragma unroll
  for (int i = 0; i < 40; ++i) a[i] = in[i * 128 + threadIdx.x];
  for (int r = 0; r < n; ++r)
#pragma unroll
    for (int i = 0; i < 40; ++i) a[i] = a[i] * a[(i + 7) % 40] + r;
  float sum = 0;
#pragma unroll
  for (int i = 0; i < 40; ++i) sum += a[i];
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}

// A softmax of rows as a compiler of tiles writes it: four values a lane, masked at the row's end.
__global__ void tile_softmax(const float* in, float* out, int columns) {
  __shared__ float part[4];
  const int t = threadIdx.x, base = t * 4;
  float v[4];
  if (base + 3 < columns && columns % 4 == 0) {
    const float4 q = reinterpret_cast<const float4*>(in + (size_t)blockIdx.x * columns)[t];
    v[0] = q.x, v[1] = q.y, v[2] = q.z, v[3] = q.w;
  } else {
    for (int i = 0; i < 4; ++i)
      v[i] = base + i < columns ? in[(size_t)blockIdx.x * columns + base + i] : -1e30f;
  }
  float most = fmaxf(fmaxf(v[0], v[1]), fmaxf(v[2], v[3]));
  for (int o = 16; o; o /= 2) most = fmaxf(most, __shfl_xor_sync(~0u, most, o));
  if (t % 32 == 0) part[t / 32] = most;
  __syncthreads();
  most = fmaxf(fmaxf(part[0], part[1]), fmaxf(part[2], part[3]));
  __syncthreads();
  float sum = 0;
  for (int i = 0; i < 4; ++i) sum += v[i] = __expf(v[i] - most);
  for (int o = 16; o; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (t % 32 == 0) part[t / 32] = sum;
  __syncthreads();
  sum = part[0] + part[1] + part[2] + part[3];
  for (int i = 0; i < 4; ++i)
    if (base + i < columns) out[(size_t)blockIdx.x * columns + base + i] = v[i] / sum;
}

// 64 x 64 of C by four warps: cp.async into two stages of 64 x 32, their 16-byte words exchanged by
// the row's number, ldmatrix, mma.
__global__ __launch_bounds__(128) void tile_product(const __nv_bfloat16* A, const __nv_bfloat16* B,
                                                    float* C, int n, int k) {
  __shared__ alignas(128) __nv_bfloat16 a[2][64 * 32], b[2][64 * 32];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32;
  const int row0 = blockIdx.y * 64, col0 = blockIdx.x * 64;
  float sum[8][4] = {};
  auto fill = [&](int stage, int from) {
    for (int i = t; i < 256; i += 128) {
      const int row = i / 4, word = i % 4, to = row * 32 + (word ^ (row / 2 & 3)) * 8;
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place(&a[stage][to])),
                   "l"(A + (size_t)(row0 + row) * k + from + word * 8)
                   : "memory");
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(place(&b[stage][to])),
                   "l"(B + (size_t)(col0 + row) * k + from + word * 8)
                   : "memory");
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fill(0, 0);
  for (int from = 0, stage = 0; from < k; from += 32, stage ^= 1) {
    if (from + 32 < k) {
      fill(stage ^ 1, from + 32);
      asm volatile("cp.async.wait_group 1;" ::: "memory");
    } else {
      asm volatile("cp.async.wait_group 0;" ::: "memory");
    }
    __syncthreads();
    for (int half = 0; half < 2; ++half) {
      uint32_t fa[4];
      const int ra = warp * 16 + lane % 16, wa = half * 2 + lane / 16;
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])
                   : "r"(place(&a[stage][ra * 32 + (wa ^ (ra / 2 & 3)) * 8])));
      for (int c = 0; c < 8; ++c) {
        uint32_t fb[2];
        const int rb = c * 8 + lane % 8, wb = half * 2 + lane / 8 % 2;
        asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                     : "=r"(fb[0]), "=r"(fb[1])
                     : "r"(place(&b[stage][rb * 32 + (wb ^ (rb / 2 & 3)) * 8])));
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+f"(sum[c][0]), "+f"(sum[c][1]), "+f"(sum[c][2]), "+f"(sum[c][3])
            : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
      }
    }
    __syncthreads();
  }
  for (int c = 0; c < 8; ++c)
    for (int h = 0; h < 2; ++h)
      *reinterpret_cast<float2*>(
          &C[(size_t)(row0 + warp * 16 + lane / 4 + h * 8) * n + col0 + c * 8 + lane % 4 * 2]) =
          make_float2(sum[c][2 * h], sum[c][2 * h + 1]);
}
