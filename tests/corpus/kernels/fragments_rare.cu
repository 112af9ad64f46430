// the rarer forms of mma.sync and of the loads beside it
#include <cuda_fp16.h>
#include <mma.h>
__device__ __forceinline__ unsigned sp(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
#define FRAG int lane = threadIdx.x & 31, g = lane >> 2, q = lane & 3

extern "C" __global__ void dmma_1684(const double* A, const double* B, double* D, int N, int K) {
  FRAG;
  int r = blockIdx.y * 16, c = blockIdx.x * 8;
  double d[4] = {};
  for (int k = 0; k < K; k += 4)
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(A[(r + g) * K + k + q]), "d"(A[(r + g + 8) * K + k + q]),
          "d"(B[(k + q) * N + c + g]));
  for (int i = 0; i < 4; ++i) D[(r + g + i / 2 * 8) * N + c + q * 2 + i % 2] = d[i];
}
extern "C" __global__ void dmma_16816(const double* A, const double* B, double* D, int N, int K) {
  FRAG;
  int r = blockIdx.y * 16, c = blockIdx.x * 8;
  double d[4] = {};
  for (int k = 0; k < K; k += 16) {
    double a[8], b[4];
    for (int i = 0; i < 8; ++i) a[i] = A[(r + g + (i & 1) * 8) * K + k + q + (i >> 1) * 4];
    for (int i = 0; i < 4; ++i) b[i] = B[(k + q + 4 * i) * N + c + g];
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, "
        "{%4,%5,%6,%7,%8,%9,%10,%11}, {%12,%13,%14,%15}, {%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
          "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
  }
  for (int i = 0; i < 4; ++i) D[(r + g + i / 2 * 8) * N + c + q * 2 + i % 2] = d[i];
}
extern "C" __global__ void mma_bf16_k8(const unsigned* A, const unsigned* Bt, float* D, int K2) {
  FRAG;
  float d[4] = {};
  for (int k = 0; k < K2; k += 4)
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(A[(blockIdx.x * 16 + g) * K2 + k + q]),
          "r"(A[(blockIdx.x * 16 + g + 8) * K2 + k + q]), "r"(Bt[g * K2 + k + q]));
  for (int i = 0; i < 4; ++i) D[(blockIdx.x * 16 + g + i / 2 * 8) * 8 + q * 2 + i % 2] = d[i];
}
extern "C" __global__ void mma_hh_k8(const unsigned* A, const unsigned* Bt, unsigned* D, int K2) {
  FRAG;
  unsigned d[2] = {};
#pragma unroll 1
  for (int k = 0; k < K2; k += 4)
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3}, {%4}, {%0,%1};"
                 : "+r"(d[0]), "+r"(d[1])
                 : "r"(A[(blockIdx.x * 16 + g) * K2 + k + q]),
                   "r"(A[(blockIdx.x * 16 + g + 8) * K2 + k + q]), "r"(Bt[g * K2 + k + q]));
  D[(blockIdx.x * 16 + g) * 4 + q] = d[0];
  D[(blockIdx.x * 16 + g + 8) * 4 + q] = d[1];
}
extern "C" __global__ void imma_8816(const unsigned* A, const unsigned* Bt, int* D, int K4) {
  FRAG;
  int d0 = 0, d1 = 0;
  for (int k = 0; k < K4; k += 4)
    asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+r"(d0), "+r"(d1)
                 : "r"(A[(blockIdx.x * 8 + g) * K4 + k + q]), "r"(Bt[g * K4 + k + q]));
  *(int2*)&D[(blockIdx.x * 8 + g) * 8 + q * 2] = make_int2(d0, d1);
}
extern "C" __global__ void imma_s4_k64(const unsigned* A, const unsigned* Bt, int* D, int K8) {
  FRAG;
  int d[4] = {};
  for (int k = 0; k < K8; k += 8) {
    const unsigned *p = A + (blockIdx.x * 16 + g) * K8 + k + q, *b = Bt + g * K8 + k + q;
    asm volatile(
        "mma.sync.aligned.m16n8k64.row.col.s32.s4.s4.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(p[0]), "r"(p[8 * K8]), "r"(p[4]), "r"(p[8 * K8 + 4]), "r"(b[0]), "r"(b[4]));
  }
  for (int i = 0; i < 4; ++i) D[(blockIdx.x * 16 + g + i / 2 * 8) * 8 + q * 2 + i % 2] = d[i];
}
extern "C" __global__ void bmma_k256(const unsigned* A, const unsigned* Bt, int* D, int K32) {
  FRAG;
  int d[4] = {};
  for (int k = 0; k < K32; k += 8) {
    const unsigned *p = A + (blockIdx.x * 16 + g) * K32 + k + q, *b = Bt + g * K32 + k + q;
    asm volatile(
        "mma.sync.aligned.m16n8k256.row.col.s32.b1.b1.s32.and.popc {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
        : "r"(p[0]), "r"(p[8 * K32]), "r"(p[4]), "r"(p[8 * K32 + 4]), "r"(b[0]), "r"(b[4]));
  }
  for (int i = 0; i < 4; ++i) D[(blockIdx.x * 16 + g + i / 2 * 8) * 8 + q * 2 + i % 2] = d[i];
}
extern "C" __global__ void mma_e5m2(const unsigned* A, const unsigned* Bt, float* D, int K4) {
  FRAG;
  float d[4] = {};
  const unsigned m = 0xbfbfbfbfu;
  for (int k = 0; k < K4; k += 8) {
    const unsigned *p = A + (blockIdx.x * 16 + g) * K4 + k + q, *b = Bt + g * K4 + k + q;
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(p[0] & m), "r"(p[8 * K4] & m), "r"(p[4] & m), "r"(p[8 * K4 + 4] & m), "r"(b[0] & m),
          "r"(b[4] & m));
  }
  for (int i = 0; i < 4; ++i) D[(blockIdx.x * 16 + g + i / 2 * 8) * 8 + q * 2 + i % 2] = d[i];
}
// 2:4 sparse, the first two of each four kept (metadata 0x44444444)
extern "C" __global__ void mma_sparse(const unsigned* Ac, const unsigned* Bt, float* D) {
  FRAG;
  float d[4] = {};
  unsigned a[4], b[4];
  for (int i = 0; i < 4; ++i) a[i] = Ac[(blockIdx.x * 16 + g + (i & 1) * 8) * 8 + q + (i >> 1) * 4];
  for (int i = 0; i < 4; ++i) b[i] = Bt[g * 16 + q + i * 4];
  asm volatile(
      "mma.sp::ordered_metadata.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, "
      "{%4,%5,%6,%7}, {%8,%9,%10,%11}, {%0,%1,%2,%3}, %12, 0x0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]), "r"(b[2]), "r"(b[3]),
        "r"(0x44444444u));
  for (int i = 0; i < 4; ++i) D[(blockIdx.x * 16 + g + i / 2 * 8) * 8 + q * 2 + i % 2] = d[i];
}
// transposes of 8x8 by movmatrix, ldmatrix.trans and stmatrix.trans
extern "C" __global__ void tp_movmatrix(const unsigned* in, unsigned* out) {
  FRAG;
  int base = (blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32) * 32;
  unsigned v = in[base + g * 4 + q], w;
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(w) : "r"(v));
  out[base + g * 4 + q] = w;
}
template <int LD>
__global__ void tp_ldst_trans(const unsigned short* in, unsigned short* out) {
  __shared__ __align__(16) unsigned short s[16 * LD], o[16 * LD];
  int lane = threadIdx.x;
  *(uint4*)&s[lane / 2 * LD + lane % 2 * 8] = ((const uint4*)in)[blockIdx.x * 32 + lane];
  __syncwarp();
  unsigned r[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(sp(&s[lane % 16 * LD]))
               : "memory");
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[2]), "=r"(r[3])
               : "r"(sp(&s[lane % 16 * LD + 8]))
               : "memory");
  // r0, r1: transposes of the left half's two blocks; r2, r3: right half plain, transposed while
  // stored
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(
                   sp(&o[lane % 8 * LD + (lane / 8 & 1) * 8])),
               "r"(r[0]), "r"(r[1])
               : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"(
                   sp(&o[(8 + lane % 8) * LD + (lane / 8 & 1) * 8])),
               "r"(r[2]), "r"(r[3])
               : "memory");
  __syncwarp();
  ((uint4*)out)[blockIdx.x * 32 + lane] = *(uint4*)&o[lane / 2 * LD + lane % 2 * 8];
}
