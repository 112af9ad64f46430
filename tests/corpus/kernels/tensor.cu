// ldmatrix and mma.sync over tiles of halves with several leading dimensions.
#ifndef LD
#define LD 32
#endif
#ifdef SWIZZLE  // 16-byte chunks of a row of LD halves, spread over the banks
#define AT(row, col) ((row) * LD + ((((col) / 8) ^ ((row) & (LD / 8 - 1))) * 8) + (col) % 8)
#else
#define AT(row, col) ((row) * LD + (col))
#endif

typedef unsigned short half_bits;

__device__ unsigned shared_address(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }

__device__ void load_x4(unsigned (&r)[4], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
               : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
               : "r"(address));
}

__device__ void load_x2_trans(unsigned (&r)[2], unsigned address) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(address));
}

__device__ void multiply(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
      "{%0,%1,%2,%3};"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

// 32 x 32 x 32 tile by four warps of 16 x 16. A is 32 x k, B is k x 32, both row-major.
extern "C" __global__ void tensor_gemm(const half_bits* a, const half_bits* b, float* c, int n,
                                       int k) {
  __shared__ __align__(16) half_bits as[32 * LD];
  __shared__ __align__(16) half_bits bs[32 * LD];
  const int t = threadIdx.x, warp = t / 32, lane = t % 32;
  const int row0 = blockIdx.y * 32, col0 = blockIdx.x * 32;
  const int wr = warp / 2 * 16, wc = warp % 2 * 16;
  float sum[2][4] = {};
  for (int k0 = 0; k0 < k; k0 += 32) {
    const int row = t / 4, col = t % 4 * 8;
    *(uint4*)&as[AT(row, col)] = *(const uint4*)&a[(row0 + row) * k + k0 + col];
    *(uint4*)&bs[AT(row, col)] = *(const uint4*)&b[(k0 + row) * n + col0 + col];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 32; i += 16) {
      unsigned fa[4];
      load_x4(fa, shared_address(&as[AT(wr + lane % 16, i + lane / 16 * 8)]));
#pragma unroll
      for (int j = 0; j < 2; ++j) {
        unsigned fb[2];
        load_x2_trans(fb, shared_address(&bs[AT(i + lane % 16, wc + j * 8)]));
        multiply(sum[j], fa, fb);
      }
    }
    __syncthreads();
  }
#pragma unroll
  for (int j = 0; j < 2; ++j) {
    const int row = row0 + wr + lane / 4, col = col0 + wc + j * 8 + lane % 4 * 2;
    *(float2*)&c[row * n + col] = make_float2(sum[j][0], sum[j][1]);
    *(float2*)&c[(row + 8) * n + col] = make_float2(sum[j][2], sum[j][3]);
  }
}
