// mma.sync of several shapes and types; ldmatrix of one, two, four; stmatrix.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ __forceinline__ unsigned smem(const void* p) { return static_cast<unsigned>(__cvta_generic_to_shared(p)); }

#define LDSM_X1(r0, p) asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r0) : "r"(smem(p)))
#define LDSM_X1_T(r0, p) \
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];" : "=r"(r0) : "r"(smem(p)))
#define LDSM_X2(r0, r1, p) \
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" : "=r"(r0), "=r"(r1) : "r"(smem(p)))
#define LDSM_X4(r0, r1, r2, r3, p)                                          \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" \
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)                     \
               : "r"(smem(p)))
#define LDSM_X4_T(r0, r1, r2, r3, p)                                              \
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];" \
               : "=r"(r0), "=r"(r1), "=r"(r2), "=r"(r3)                           \
               : "r"(smem(p)))

// f16 sums; A row-major, B given as columns (n x k), so that no ldmatrix transposes. The result
// leaves through stmatrix and 16-byte stores. 64 x 32 x 32 by four warps.
template <int LD>
__global__ void __launch_bounds__(128) hgemm_stmatrix(const __half* a, const __half* bt, __half* c, int n, int k) {
  __shared__ __align__(16) __half as[64 * LD], bs[32 * LD];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  unsigned acc[4][2] = {};
  for (int p = 0; p < k; p += 32) {
    for (int i = t; i < 256; i += 128)
      *(uint4*)&as[(i >> 2) * LD + (i & 3) * 8] = *(const uint4*)&a[(blockIdx.y * 64 + (i >> 2)) * k + p + (i & 3) * 8];
    *(uint4*)&bs[(t >> 2) * LD + (t & 3) * 8] = *(const uint4*)&bt[(blockIdx.x * 32 + (t >> 2)) * k + p + (t & 3) * 8];
    __syncthreads();
#pragma unroll
    for (int q = 0; q < 32; q += 16) {
      unsigned fa[4], fb[2];
      LDSM_X4(fa[0], fa[1], fa[2], fa[3], &as[(warp * 16 + (lane & 15)) * LD + q + (lane >> 4) * 8]);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        LDSM_X2(fb[0], fb[1], &bs[(j * 8 + (lane & 7)) * LD + q + (lane >> 3 & 1) * 8]);
        asm volatile(
            "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
            : "+r"(acc[j][0]), "+r"(acc[j][1])
            : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[0]), "r"(fb[1]));
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 4; j += 2)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(
                     smem(&as[(warp * 16 + (lane & 15)) * LD + j * 8 + (lane >> 4) * 8])),
                 "r"(acc[j][0]), "r"(acc[j][1]), "r"(acc[j + 1][0]), "r"(acc[j + 1][1])
                 : "memory");
  __syncwarp();
  for (int i = lane; i < 64; i += 32)
    *(uint4*)&c[(blockIdx.y * 64 + warp * 16 + (i >> 2)) * n + blockIdx.x * 32 + (i & 3) * 8] =
        *(const uint4*)&as[(warp * 16 + (i >> 2)) * LD + (i & 3) * 8];
}

// bf16 with k of 8: two ldmatrix.x1 for A's halves, a transposing x1 for B. A warp to 16 x 8.
extern "C" __global__ void bf16_k8(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c, int n, int k) {
  __shared__ __align__(16) __nv_bfloat16 as[4][16][8], bs[4][8][8];
  const int lane = threadIdx.x, w = threadIdx.y, row = (blockIdx.y * 2 + w / 2) * 16, col = (blockIdx.x * 2 + w % 2) * 8;
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  for (int p = 0; p < k; p += 8) {
    if (lane < 16) *(uint4*)as[w][lane] = *(const uint4*)(a + (row + lane) * k + p);
    else if (lane < 24) *(uint4*)bs[w][lane - 16] = *(const uint4*)(b + (p + lane - 16) * n + col);
    __syncwarp();
    unsigned a0, a1, b0;
    LDSM_X1(a0, as[w][lane & 7]);
    LDSM_X1(a1, as[w][8 + (lane & 7)]);
    LDSM_X1_T(b0, bs[w][lane & 7]);
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
        : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
        : "r"(a0), "r"(a1), "r"(b0));
    __syncwarp();
  }
  float* to = c + (row + lane / 4) * n + col + lane % 4 * 2;
  to[0] = d0;
  to[1] = d1;
  to[8 * n] = d2;
  to[8 * n + 1] = d3;
}

// tf32: fragments by 32-bit loads out of padded rows, rounded by cvt.rna. 32 x 32 by four warps.
extern "C" __global__ void tf32_gemm(const float* a, const float* b, float* c, int n, int k) {
  __shared__ float as[32][16 + PAD_A], bs[16][32 + PAD_B];
  const int t = threadIdx.x, lane = t % 32, warp = t / 32, g = lane / 4, q = lane % 4;
  const int wr = warp / 2 * 16, wc = warp % 2 * 16;
  float acc[2][4] = {};
  const auto round = [](float v) {
    unsigned r;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(r) : "f"(v));
    return r;
  };
  for (int p = 0; p < k; p += 16) {
    for (int i = t; i < 512; i += 128) {
      as[i / 16][i % 16] = a[(blockIdx.y * 32 + i / 16) * k + p + i % 16];
      bs[i / 32][i % 32] = b[(p + i / 32) * n + blockIdx.x * 32 + i % 32];
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < 16; s += 8) {
      const unsigned a0 = round(as[wr + g][s + q]), a1 = round(as[wr + g + 8][s + q]);
      const unsigned a2 = round(as[wr + g][s + q + 4]), a3 = round(as[wr + g + 8][s + q + 4]);
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        const unsigned b0 = round(bs[s + q][wc + j * 8 + g]), b1 = round(bs[s + q + 4][wc + j * 8 + g]);
        asm volatile(
            "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
            "{%0,%1,%2,%3};"
            : "+f"(acc[j][0]), "+f"(acc[j][1]), "+f"(acc[j][2]), "+f"(acc[j][3])
            : "r"(a0), "r"(a1), "r"(a2), "r"(a3), "r"(b0), "r"(b1));
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    float* to = c + (blockIdx.y * 32 + wr + g) * n + blockIdx.x * 32 + wc + j * 8 + 2 * q;
    *(float2*)to = make_float2(acc[j][0], acc[j][1]);
    *(float2*)(to + 8 * n) = make_float2(acc[j][2], acc[j][3]);
  }
}

// signed bytes, k of 32: bytes through ldmatrix as pairs; B as columns. 32 x 32 by four warps.
extern "C" __global__ void s8_gemm(const signed char* a, const signed char* bt, int* c, int n, int k) {
  __shared__ __align__(16) signed char as[32][64 + 16], bs[32][64 + 16];
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5, wr = (warp >> 1) * 16, wc = (warp & 1) * 16;
  int acc[2][4] = {};
  for (int p = 0; p < k; p += 64) {
    *(int4*)&as[t >> 2][(t & 3) * 16] = *(const int4*)&a[(blockIdx.y * 32 + (t >> 2)) * k + p + (t & 3) * 16];
    *(int4*)&bs[t >> 2][(t & 3) * 16] = *(const int4*)&bt[(blockIdx.x * 32 + (t >> 2)) * k + p + (t & 3) * 16];
    __syncthreads();
#pragma unroll
    for (int s = 0; s < 64; s += 32) {
      unsigned fa[4], fb[4];
      LDSM_X4(fa[0], fa[1], fa[2], fa[3], &as[wr + (lane & 15)][s + (lane >> 4) * 16]);
      LDSM_X4(fb[0], fb[1], fb[2], fb[3], &bs[wc + (lane & 7) + (lane >> 4) * 8][s + (lane >> 3 & 1) * 16]);
#pragma unroll
      for (int j = 0; j < 2; ++j)
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
            : "+r"(acc[j][0]), "+r"(acc[j][1]), "+r"(acc[j][2]), "+r"(acc[j][3])
            : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * j]), "r"(fb[2 * j + 1]));
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 2; ++j)
#pragma unroll
    for (int h = 0; h < 2; ++h)
      *(int2*)&c[(blockIdx.y * 32 + wr + lane / 4 + 8 * h) * n + blockIdx.x * 32 + wc + j * 8 + lane % 4 * 2] =
          make_int2(acc[j][2 * h], acc[j][2 * h + 1]);
}

// doubles, m8n8k4: a warp to 16 x 16, operands straight from shared memory with a pitch.
extern "C" __global__ void dmma(const double* a, const double* b, double* c, int n, int k) {
  __shared__ double as[16][8 + DPAD], bs[8][16 + DPAD];
  const int lane = threadIdx.x, g = lane >> 2, q = lane & 3;
  double acc[2][2][2] = {};
  for (int p = 0; p < k; p += 8) {
    for (int i = lane; i < 128; i += 32) {
      as[i >> 3][i & 7] = a[(blockIdx.y * 16 + (i >> 3)) * k + p + (i & 7)];
      bs[i >> 4][i & 15] = b[(p + (i >> 4)) * n + blockIdx.x * 16 + (i & 15)];
    }
    __syncwarp();
#pragma unroll
    for (int s = 0; s < 8; s += 4)
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 2; ++j)
          asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                       : "+d"(acc[i][j][0]), "+d"(acc[i][j][1])
                       : "d"(as[i * 8 + g][s + q]), "d"(bs[s + q][j * 8 + g]));
    __syncwarp();
  }
#pragma unroll
  for (int i = 0; i < 2; ++i)
#pragma unroll
    for (int j = 0; j < 2; ++j)
      *(double2*)&c[(blockIdx.y * 16 + i * 8 + g) * n + blockIdx.x * 16 + j * 8 + q * 2] =
          make_double2(acc[i][j][0], acc[i][j][1]);
}

// f16, k of 8; A column-major, so its ldmatrix transposes; B row-major, transposed too: x4 for both.
// The inputs lie in dynamic shared memory, in rows of 64 halves with chunks swizzled.
extern "C" __global__ void __launch_bounds__(64) hgemm_tn(const __half* at, const __half* b, float* c, int m, int n, int k) {
  extern __shared__ __align__(128) __half room[];
  __half* const as = room;            // [32 k][64 m]
  __half* const bs = room + 32 * 64;  // [32 k][64 n]
  const int t = threadIdx.x, lane = t & 31, warp = t >> 5;
  const auto place = [](int r, int col) { return r * 64 + (((col >> 3) ^ (r & 7)) << 3) + (col & 7); };
  float acc[2][8][4] = {};
  for (int p = 0; p < k; p += 32) {
    for (int i = t; i < 256; i += 64) {
      const int r = i >> 3, ch = (i & 7) * 8;
      *(float4*)&as[place(r, ch)] = __ldg((const float4*)&at[(p + r) * m + blockIdx.y * 64 + ch]);
      *(float4*)&bs[place(r, ch)] = __ldg((const float4*)&b[(p + r) * n + blockIdx.x * 64 + ch]);
    }
    __syncthreads();
#pragma unroll
    for (int s = 0; s < 32; s += 8) {
      unsigned fa[2][2], fb[8];
      LDSM_X4_T(fa[0][0], fa[0][1], fa[1][0], fa[1][1], &as[place(s + (lane & 7), warp * 32 + (lane >> 3) * 8)]);
      LDSM_X4_T(fb[0], fb[1], fb[2], fb[3], &bs[place(s + (lane & 7), (lane >> 3) * 8)]);
      LDSM_X4_T(fb[4], fb[5], fb[6], fb[7], &bs[place(s + (lane & 7), 32 + (lane >> 3) * 8)]);
#pragma unroll
      for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 8; ++j)
          asm volatile(
              "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};"
              : "+f"(acc[i][j][0]), "+f"(acc[i][j][1]), "+f"(acc[i][j][2]), "+f"(acc[i][j][3])
              : "r"(fa[i][0]), "r"(fa[i][1]), "r"(fb[j]));
    }
    __syncthreads();
  }
  // Epilogue: through shared memory as floats with a pitch of 68, then whole rows.
  float* const cs = reinterpret_cast<float*>(room);  // [2][16][68]
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    __syncthreads();
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      float* to = cs + (warp * 16 + lane / 4) * 68 + j * 8 + lane % 4 * 2;
      *(float2*)to = make_float2(acc[i][j][0], acc[i][j][1]);
      *(float2*)(to + 8 * 68) = make_float2(acc[i][j][2], acc[i][j][3]);
    }
    __syncthreads();
    for (int e = t; e < 32 * 16; e += 64) {
      const int r = e >> 4, q = e & 15;
      *(float4*)&c[(blockIdx.y * 64 + (r >> 4) * 32 + i * 16 + (r & 15)) * n + blockIdx.x * 64 + q * 4] =
          *(const float4*)&cs[r * 68 + q * 4];
    }
  }
}

// Transposes 32 x 32 tiles of halves: ldmatrix straight, stmatrix.trans back, another x2 with movmatrix.
extern "C" __global__ void matrix_transpose(const __half* in, __half* out, int n) {
  __shared__ __align__(16) __half s[32][40], d[32][40];
  const int lane = threadIdx.x, w = threadIdx.y;  // 32 x 2
  for (int i = lane + 32 * w; i < 128; i += 64)
    *(uint4*)&s[i >> 2][(i & 3) * 8] = *(const uint4*)&in[(blockIdx.y * 32 + (i >> 2)) * n + blockIdx.x * 32 + (i & 3) * 8];
  __syncthreads();
  unsigned r[4];
  if (w == 0) {
    LDSM_X4(r[0], r[1], r[2], r[3], &s[lane][0]);
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(smem(&d[lane & 7][(lane >> 3 & 1) * 8])), "r"(r[0]), "r"(r[1]) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(smem(&d[lane & 7][16])), "r"(r[2]) : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(smem(&d[lane & 7][24])), "r"(r[3]) : "memory");
    LDSM_X4_T(r[0], r[1], r[2], r[3], &s[lane][8]);
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(smem(&d[8 + (lane & 7)][(lane >> 3) * 8])), "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3]) : "memory");
  } else {
#pragma unroll
    for (int h = 2; h < 4; ++h) {
      LDSM_X4(r[0], r[1], r[2], r[3], &s[lane][h * 8]);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        unsigned m;
        asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(m) : "r"(r[i]));
        *(unsigned*)&d[h * 8 + lane / 4][i * 8 + lane % 4 * 2] = m;
      }
    }
  }
  __syncthreads();
  for (int i = lane + 32 * w; i < 128; i += 64)
    *(uint4*)&out[(blockIdx.x * 32 + (i >> 2)) * n + blockIdx.y * 32 + (i & 3) * 8] = *(const uint4*)&d[i >> 2][(i & 3) * 8];
}
