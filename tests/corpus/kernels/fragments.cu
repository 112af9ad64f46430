#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
using namespace nvcuda;
template <typename A, typename B>
struct Same {
  static constexpr bool value = false;
};
template <typename A>
struct Same<A, A> {
  static constexpr bool value = true;
};

// D = A * B + C for one warp per tile, any shape, types and layouts; ragged-free sizes
template <int M, int N, int K, typename TA, typename TC, typename LA, typename LB>
__global__ void wmma_gemm(const TA* A, const TA* B, const TC* Cin, TC* D, int m, int n, int k,
                          int lda, int ldb, int ldc) {
  const int warp = threadIdx.x / 32 + blockIdx.x * (blockDim.x / 32);
  const int tm = warp / (n / N), tn = warp % (n / N);
  if (tm * M >= m) return;
  wmma::fragment<wmma::matrix_a, M, N, K, TA, LA> a;
  wmma::fragment<wmma::matrix_b, M, N, K, TA, LB> b;
  wmma::fragment<wmma::accumulator, M, N, K, TC> c;
  wmma::load_matrix_sync(c, Cin + tm * M * ldc + tn * N, ldc, wmma::mem_row_major);
  constexpr bool ra = Same<LA, wmma::row_major>::value, rb = Same<LB, wmma::row_major>::value;
  for (int i = 0; i < k; i += K) {
    wmma::load_matrix_sync(a, ra ? A + tm * M * lda + i : A + i * lda + tm * M, lda);
    wmma::load_matrix_sync(b, rb ? B + i * ldb + tn * N : B + tn * N * ldb + i, ldb);
    wmma::mma_sync(c, a, b, c);
  }
  wmma::store_matrix_sync(D + tm * M * ldc + tn * N, c, ldc, wmma::mem_row_major);
}

// tf32 and double need their own loads
template <typename LB>
__global__ void wmma_tf32(const float* A, const float* B, float* D, int n, int k, int lda, int ldb,
                          int ldd) {
  using namespace wmma;
  fragment<matrix_a, 16, 16, 8, precision::tf32, row_major> a;
  fragment<matrix_b, 16, 16, 8, precision::tf32, LB> b;
  fragment<accumulator, 16, 16, 8, float> c;
  fill_fragment(c, 0.f);
  int r = blockIdx.y * 16, q = (blockIdx.x * blockDim.y + threadIdx.y) * 16;
  if (q >= n) return;
  for (int i = 0; i < k; i += 8) {
    load_matrix_sync(a, A + r * lda + i, lda);
    load_matrix_sync(b, Same<LB, row_major>::value ? B + i * ldb + q : B + q * ldb + i, ldb);
    for (int e = 0; e < a.num_elements; ++e) a.x[e] = __float_to_tf32(a.x[e]);
    for (int e = 0; e < b.num_elements; ++e) b.x[e] = __float_to_tf32(b.x[e]);
    mma_sync(c, a, b, c);
  }
  store_matrix_sync(D + q * ldd + r, c, ldd, mem_col_major);
}
extern "C" __global__ void wmma_double(const double* A, const double* B, double* D, int k, int lda,
                                       int ldb, int ldd) {
  using namespace wmma;
  fragment<matrix_a, 8, 8, 4, double, col_major> a;
  fragment<matrix_b, 8, 8, 4, double, row_major> b;
  fragment<accumulator, 8, 8, 4, double> c;
  fill_fragment(c, 0.0);
  for (int i = 0; i < k; i += 4) {
    load_matrix_sync(a, A + i * lda + blockIdx.y * 8, lda);
    load_matrix_sync(b, B + i * ldb + blockIdx.x * 8, ldb);
    mma_sync(c, a, b, c);
  }
  store_matrix_sync(D + blockIdx.y * 8 * ldd + blockIdx.x * 8, c, ldd, mem_row_major);
}

// tiles in shared with a skew, 4 warps of 32x32 each, epilogue through shared with scale and relu
#define SKEW 8
extern "C" __global__ void __launch_bounds__(128)
    wmma_shared(const half* A, const half* B, float* C, int M, int N, int K, float alpha) {
  __shared__ half as[64][32 + SKEW];
  __shared__ half bs[32][64 + SKEW];
  __shared__ float cs[64][64 + 4];
  int t = threadIdx.x, w = t >> 5;
  int wr = (w >> 1) * 32, wc = (w & 1) * 32;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> acc[2][2];
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++) wmma::fill_fragment(acc[i][j], 0.f);
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int i = t; i < 64 * 32 / 8; i += 128) {
      int r = i / 4, c = i % 4 * 8;
      *(int4*)&as[r][c] = *(const int4*)&A[(blockIdx.y * 64 + r) * K + k0 + c];
      int rb = i / 8, cb = i % 8 * 8;
      *(int4*)&bs[rb][cb] = *(const int4*)&B[(k0 + rb) * N + blockIdx.x * 64 + cb];
    }
    __syncthreads();
#pragma unroll
    for (int kk = 0; kk < 32; kk += 16) {
      wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa[2];
      wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb[2];
      for (int i = 0; i < 2; i++) {
        wmma::load_matrix_sync(fa[i], &as[wr + i * 16][kk], 32 + SKEW);
        wmma::load_matrix_sync(fb[i], &bs[kk][wc + i * 16], 64 + SKEW);
      }
      for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++) wmma::mma_sync(acc[i][j], fa[i], fb[j], acc[i][j]);
    }
    __syncthreads();
  }
  for (int i = 0; i < 2; i++)
    for (int j = 0; j < 2; j++)
      wmma::store_matrix_sync(&cs[wr + i * 16][wc + j * 16], acc[i][j], 68, wmma::mem_row_major);
  __syncthreads();
  for (int i = t; i < 64 * 16; i += 128) {
    int r = i / 16, c = i % 16 * 4;
    float4 v = *(float4*)&cs[r][c];
    v.x = fmaxf(0.f, alpha * v.x);
    v.y = fmaxf(0.f, alpha * v.y);
    v.z = fmaxf(0.f, alpha * v.z);
    v.w = fmaxf(0.f, alpha * v.w);
    *(float4*)&C[(blockIdx.y * 64 + r) * N + blockIdx.x * 64 + c] = v;
  }
}

// bits
extern "C" __global__ void wmma_bits(const unsigned* A, const unsigned* B, int* D, int k) {
  using namespace wmma::experimental;
  wmma::fragment<wmma::matrix_a, 8, 8, 128, precision::b1, wmma::row_major> a;
  wmma::fragment<wmma::matrix_b, 8, 8, 128, precision::b1, wmma::col_major> b;
  wmma::fragment<wmma::accumulator, 8, 8, 128, int> c;
  wmma::fill_fragment(c, 0);
  for (int i = 0; i < k; i += 128) {
    wmma::load_matrix_sync(a, A + blockIdx.x * 8 * (k / 32) + i / 32, k);
    wmma::load_matrix_sync(b, B + i / 32, k);
    wmma::bmma_sync(c, a, b, c, bmmaBitOpAND, bmmaAccumulateOpPOPC);
  }
  wmma::store_matrix_sync(D + blockIdx.x * 64, c, 8, wmma::mem_row_major);
}

// ---------------------------------------------------------------- inline PTX
__device__ __forceinline__ unsigned sptr(const void* p) {
  return (unsigned)__cvta_generic_to_shared(p);
}

// fragments gathered by hand from global memory, m16n8k8 f16 -> f32
extern "C" __global__ void mma_16808_f16(const half* A, const half* B, float* D, int N, int K) {
  int lane = threadIdx.x, g = lane >> 2, q = lane & 3;
  int r0 = blockIdx.y * 16, c0 = blockIdx.x * 8;
  float d[4] = {0, 0, 0, 0};
  for (int k = 0; k < K; k += 8) {
    unsigned a0 = *(const unsigned*)&A[(r0 + g) * K + k + q * 2];
    unsigned a1 = *(const unsigned*)&A[(r0 + g + 8) * K + k + q * 2];
    half2 hb = __halves2half2(B[(k + q * 2) * N + c0 + g], B[(k + q * 2 + 1) * N + c0 + g]);
    unsigned b0 = *(unsigned*)&hb;
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};\n"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(a0), "r"(a1), "r"(b0));
  }
  *(float2*)&D[(r0 + g) * N + c0 + q * 2] = make_float2(d[0], d[1]);
  *(float2*)&D[(r0 + g + 8) * N + c0 + q * 2] = make_float2(d[2], d[3]);
}

// m16n8k16 with ldmatrix; MODE 0 unpadded, 1 padded, 2 xor swizzled. A row major, B row major
// (.trans). fp16 or bf16
template <int MODE, bool BF>
__global__ void __launch_bounds__(64)
    mma_ldmatrix(const unsigned short* A, const unsigned short* B, float* D, int N, int K) {
  constexpr int LDA = MODE == 1 ? 72 : 64, LDB = MODE == 1 ? 40 : 32;
  __shared__ __align__(128) unsigned short as[32 * LDA], bs[64 * LDB];
  int t = threadIdx.x, lane = t % 32, w = t / 32;
  auto pa = [&](int r, int c8) { return r * LDA + (MODE == 2 ? (c8 ^ (r & 7)) : c8) * 8; };
  auto pb = [&](int r, int c8) { return r * LDB + (MODE == 2 ? (c8 ^ ((r >> 1) & 3)) : c8) * 8; };
  float d[4][4] = {};
  for (int k0 = 0; k0 < K; k0 += 64) {
    for (int i = t; i < 32 * 8; i += 64) {
      *(uint4*)&as[pa(i / 8, i % 8)] =
          *(const uint4*)&A[(blockIdx.y * 32 + i / 8) * K + k0 + i % 8 * 8];
      *(uint4*)&bs[pb(i / 4, i % 4)] =
          *(const uint4*)&B[(k0 + i / 4) * N + blockIdx.x * 32 + i % 4 * 8];
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 64; k += 16) {
      unsigned a[4], b[4][2];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                   : "r"(sptr(&as[pa(w * 16 + lane % 16, k / 8 + lane / 16)])));
#pragma unroll
      for (int j = 0; j < 4; j += 2)
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                     : "=r"(b[j][0]), "=r"(b[j][1]), "=r"(b[j + 1][0]), "=r"(b[j + 1][1])
                     : "r"(sptr(&bs[pb(k + lane % 16, j + lane / 16)])));
#pragma unroll
      for (int j = 0; j < 4; ++j)
        if (BF)
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
              "{%8,%9}, {%0,%1,%2,%3};"
              : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
              : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
        else
          asm volatile(
              "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
              "{%8,%9}, {%0,%1,%2,%3};"
              : "+f"(d[j][0]), "+f"(d[j][1]), "+f"(d[j][2]), "+f"(d[j][3])
              : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[j][0]), "r"(b[j][1]));
    }
    __syncthreads();
  }
  int g = lane / 4, q = lane % 4;
  for (int j = 0; j < 4; ++j) {
    float* p = D + (blockIdx.y * 32 + w * 16 + g) * N + blockIdx.x * 32 + j * 8 + q * 2;
    p[0] = d[j][0];
    p[1] = d[j][1];
    p[8 * N] = d[j][2];
    p[8 * N + 1] = d[j][3];
  }
}

// tf32 m16n8k8, A in shared padded by 4, B by 8; cvt.rna first
extern "C" __global__ void mma_tf32_k8(const float* A, const float* B, float* D, int N, int K) {
  __shared__ float as[16][32 + 4], bs[32][8 + 8];
  int lane = threadIdx.x, g = lane / 4, q = lane % 4;
  float d0 = 0, d1 = 0, d2 = 0, d3 = 0;
  for (int k0 = 0; k0 < K; k0 += 32) {
    for (int i = lane; i < 512; i += 32)
      as[i / 32][i % 32] = A[(blockIdx.y * 16 + i / 32) * K + k0 + i % 32];
    for (int i = lane; i < 256; i += 32)
      bs[i / 8][i % 8] = B[(k0 + i / 8) * N + blockIdx.x * 8 + i % 8];
    __syncwarp();
    for (int k = 0; k < 32; k += 8) {
      unsigned a[4], b[2];
      float fa[4] = {as[g][k + q], as[g + 8][k + q], as[g][k + q + 4], as[g + 8][k + q + 4]};
      float fb[2] = {bs[k + q][g], bs[k + q + 4][g]};
      for (int i = 0; i < 4; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(a[i]) : "f"(fa[i]));
      for (int i = 0; i < 2; ++i) asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(b[i]) : "f"(fb[i]));
      asm volatile(
          "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
          "{%8,%9}, {%0,%1,%2,%3};"
          : "+f"(d0), "+f"(d1), "+f"(d2), "+f"(d3)
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
    __syncwarp();
  }
  float* p = D + (blockIdx.y * 16 + g) * N + blockIdx.x * 8 + 2 * q;
  p[0] = d0;
  p[1] = d1;
  p[8 * N] = d2;
  p[8 * N + 1] = d3;
}

// tf32 m16n8k4 without a conversion (the hardware drops the bits), straight from global
extern "C" __global__ void mma_tf32_k4(const unsigned* A, const unsigned* B, float* D, int N,
                                       int K) {
  int lane = threadIdx.x & 31, w = threadIdx.x >> 5, g = lane / 4, q = lane % 4;
  int r = blockIdx.x * 16, c = w * 8;
  float d[4] = {};
  for (int k = 0; k < K; k += 4)
    asm volatile(
        "mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(A[(r + g) * K + k + q]), "r"(A[(r + g + 8) * K + k + q]),
          "r"(B[(k + q) * N + c + g]));
  for (int i = 0; i < 4; ++i) D[(r + g + (i >> 1) * 8) * N + c + q * 2 + (i & 1)] = d[i];
}

// int8 m16n8k32 by ldmatrix (b16 pairs), B^T in memory
extern "C" __global__ void mma_s8_k32(const signed char* A, const signed char* Bt, int* D, int N,
                                      int K) {
  __shared__ __align__(16) signed char as[16][64 + 16], bs[16][64 + 16];
  int lane = threadIdx.x, g = lane / 4, q = lane % 4;
  int d[2][4] = {};
  for (int k0 = 0; k0 < K; k0 += 64) {
    for (int i = lane; i < 16 * 4; i += 32) {
      *(int4*)&as[i / 4][i % 4 * 16] =
          *(const int4*)&A[(blockIdx.y * 16 + i / 4) * K + k0 + i % 4 * 16];
      *(int4*)&bs[i / 4][i % 4 * 16] =
          *(const int4*)&Bt[(blockIdx.x * 16 + i / 4) * K + k0 + i % 4 * 16];
    }
    __syncwarp();
    for (int k = 0; k < 64; k += 32) {
      unsigned a[4], b[4];
      asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                   : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3])
                   : "r"(sptr(&as[lane % 16][k + lane / 16 * 16]))
                   : "memory");
      asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                   : "=r"(b[0]), "=r"(b[1])
                   : "r"(sptr(&bs[lane % 8][k + (lane / 8 & 1) * 16]))
                   : "memory");
      asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                   : "=r"(b[2])
                   : "r"(sptr(&bs[8 + lane % 8][k]))
                   : "memory");
      asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];"
                   : "=r"(b[3])
                   : "r"(sptr(&bs[8 + lane % 8][k + 16]))
                   : "memory");
      for (int j = 0; j < 2; ++j)
        asm volatile(
            "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
            "{%8,%9}, {%0,%1,%2,%3};"
            : "+r"(d[j][0]), "+r"(d[j][1]), "+r"(d[j][2]), "+r"(d[j][3])
            : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[2 * j]), "r"(b[2 * j + 1]));
    }
    __syncwarp();
  }
  for (int j = 0; j < 2; ++j)
    for (int h = 0; h < 2; ++h)
      *(int2*)&D[(blockIdx.y * 16 + g + 8 * h) * N + blockIdx.x * 16 + j * 8 + q * 2] =
          make_int2(d[j][2 * h], d[j][2 * h + 1]);
}

// u8 x s8 m16n8k16 from global
extern "C" __global__ void mma_u8s8_k16(const unsigned* A, const unsigned* Bt, int* D, int K4) {
  int lane = threadIdx.x, g = lane >> 2, q = lane & 3, r = blockIdx.x * 16;
  int d0 = 0, d1 = 0, d2 = 0, d3 = 0;
#pragma unroll 2
  for (int k = 0; k < K4; k += 4)
    asm volatile(
        "mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, "
        "{%0,%1,%2,%3};"
        : "+r"(d0), "+r"(d1), "+r"(d2), "+r"(d3)
        : "r"(__ldg(A + (r + g) * K4 + k + q)), "r"(__ldg(A + (r + g + 8) * K4 + k + q)),
          "r"(__ldg(Bt + g * K4 + k + q)));
  D[(r + g) * 8 + 2 * q] = d0;
  D[(r + g) * 8 + 2 * q + 1] = d1;
  D[(r + g + 8) * 8 + 2 * q] = d2;
  D[(r + g + 8) * 8 + 2 * q + 1] = d3;
}

// f64 m8n8k4, and m16n8k8 which sm_90 brought
extern "C" __global__ void dmma_884(const double* A, const double* B, double* D, int N, int K) {
  int lane = threadIdx.x % 32, g = lane / 4, q = lane % 4;
  int r = (blockIdx.y * blockDim.y + threadIdx.y) * 8, c = blockIdx.x * 8;
  double d0 = 0, d1 = 0;
  for (int k = 0; k < K; k += 4) {
    double a = A[(r + g) * K + k + q], b = B[(k + q) * N + c + g];
    asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
                 : "+d"(d0), "+d"(d1)
                 : "d"(a), "d"(b));
  }
  *(double2*)&D[(r + g) * N + c + 2 * q] = make_double2(d0, d1);
}
extern "C" __global__ void dmma_1688(const double* A, const double* B, double* D, int N, int K) {
  __shared__ double as[16][8 + 1], bs[8][8 + 1];
  int lane = threadIdx.x, g = lane / 4, q = lane % 4;
  double d[4] = {0, 0, 0, 0};
  for (int k = 0; k < K; k += 8) {
    for (int i = lane; i < 128; i += 32)
      as[i / 8][i % 8] = A[(blockIdx.y * 16 + i / 8) * K + k + i % 8];
    for (int i = lane; i < 64; i += 32)
      bs[i / 8][i % 8] = B[(k + i / 8) * N + blockIdx.x * 8 + i % 8];
    __syncwarp();
    double a[4] = {as[g][q], as[g + 8][q], as[g][q + 4], as[g + 8][q + 4]},
           b[2] = {bs[q][g], bs[q + 4][g]};
    asm volatile(
        "mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
        "{%0,%1,%2,%3};"
        : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
        : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
    __syncwarp();
  }
  for (int i = 0; i < 4; i += 2)
    *(double2*)&D[(blockIdx.y * 16 + g + 4 * i) * N + blockIdx.x * 8 + 2 * q] =
        make_double2(d[i], d[i + 1]);
}

// f16 accumulators, result leaves by stmatrix; KIND 4: x4, 2: x2, 1: x1 .trans
template <int KIND, int LD>
__global__ void mma_stmatrix(const half* A, const half* Bt, half* D, int K) {
  __shared__ __align__(16) half cs[16 * LD];
  int lane = threadIdx.x, g = lane / 4, q = lane % 4;
  unsigned d[2][2] = {};
  for (int k = 0; k < K; k += 16) {
    unsigned a[4];
    for (int i = 0; i < 4; ++i)
      a[i] =
          *(const unsigned*)&A[(blockIdx.x * 16 + g + (i & 1) * 8) * K + k + q * 2 + (i >> 1) * 8];
    for (int j = 0; j < 2; ++j) {
      unsigned b0 = *(const unsigned*)&Bt[(j * 8 + g) * K + k + q * 2],
               b1 = *(const unsigned*)&Bt[(j * 8 + g) * K + k + q * 2 + 8];
      asm volatile(
          "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, "
          "{%0,%1};"
          : "+r"(d[j][0]), "+r"(d[j][1])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
    }
  }
  if (KIND == 4)
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%2,%3,%4};" ::"r"(
                     sptr(&cs[lane % 16 * LD + lane / 16 * 8])),
                 "r"(d[0][0]), "r"(d[0][1]), "r"(d[1][0]), "r"(d[1][1])
                 : "memory");
  else if (KIND == 2)
    for (int j = 0; j < 2; ++j)
      asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(
                       sptr(&cs[lane % 16 * LD + j * 8])),
                   "r"(d[j][0]), "r"(d[j][1])
                   : "memory");
  else
    for (int j = 0; j < 4; ++j)  // transposed: cs holds D^T
      asm volatile("stmatrix.sync.aligned.m8n8.x1.trans.shared.b16 [%0], {%1};" ::"r"(
                       sptr(&cs[(j / 2 * 8 + lane % 8) * LD + j % 2 * 8])),
                   "r"(d[j / 2][j % 2])
                   : "memory");
  __syncwarp();
  *(uint4*)&D[blockIdx.x * 256 + lane * 8] = *(uint4*)&cs[lane / 2 * LD + lane % 2 * 8];
}

// fp8 e4m3 m16n8k32
extern "C" __global__ void mma_e4m3(const unsigned* A, const unsigned* Bt, float* D, int K4) {
  int lane = threadIdx.x, g = lane >> 2, q = lane & 3, r = blockIdx.x * 16;
  float d[4] = {};
  for (int k = 0; k < K4; k += 8) {
    const unsigned *p = A + (r + g) * K4 + k + q, *b = Bt + g * K4 + k + q;
    // exponents held small: no NaN, no big numbers
    unsigned m = 0xbfbfbfbfu;
    asm volatile(
        "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
        "{%8,%9}, {%0,%1,%2,%3};"
        : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
        : "r"(p[0] & m), "r"(p[8 * K4] & m), "r"(p[4] & m), "r"(p[8 * K4 + 4] & m), "r"(b[0] & m),
          "r"(b[4] & m));
  }
  for (int i = 0; i < 4; ++i) D[(r + g + i / 2 * 8) * 8 + q * 2 + i % 2] = d[i];
}
