// C = A B^T on tensor cores, 16 rows of A by 16 of B, of which only 13 and 11 are there: what
// ldmatrix finds past them spoils elements that are not written out. The product goes through
// shared memory, whole; out of it only what is there.
// trace: --grid 1 --block 32 --arg f16[208]=random:1 --arg f16[176]=random:2 --arg f32[143]=zero --arg i32:13 --arg i32:11
// mutant 1: uninitialised ... at load_a (one row too few is copied in)
// mutant 2: uninitialised ... at load_b (the same of B)
// mutant 3: uninitialised ... at load_a (k stops at 8: the rest of the rows is not filled)
// mutant 4: uninitialised ... at load_b (a column too many is written out)
#include <cuda_fp16.h>
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }

__global__ void product(const __half* A, const __half* B, float* C, int M, int N) {
  __shared__ __align__(16) __half a[16][24];
  __shared__ __align__(16) __half b[16][24];
  __shared__ float c[16][17];
  const int lane = threadIdx.x;
  const int rows = MUTANT == 1 ? M - 1 : M;
  const int columns = MUTANT == 2 ? N - 1 : N;
  const int depth = MUTANT == 3 ? 8 : 16;
  for (int i = lane; i < rows * 16; i += 32)
    if (i % 16 < depth) a[i / 16][i % 16] = A[i];
  for (int i = lane; i < columns * 16; i += 32) b[i / 16][i % 16] = B[i];
  __syncwarp();
  unsigned fa[4], fb[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"        //@load_a
               : "=r"(fa[0]), "=r"(fa[1]), "=r"(fa[2]), "=r"(fa[3])                    //@load_a
               : "r"(place(&a[lane % 16][lane / 16 * 8])));                            //@load_a
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"        //@load_b
               : "=r"(fb[0]), "=r"(fb[1]), "=r"(fb[2]), "=r"(fb[3])                    //@load_b
               : "r"(place(&b[lane / 16 * 8 + lane % 8][lane / 8 % 2 * 8])));          //@load_b
  for (int half = 0; half < 2; ++half) {
    float d[4] = {0, 0, 0, 0};
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, "
                 "{%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
                 : "r"(fa[0]), "r"(fa[1]), "r"(fa[2]), "r"(fa[3]), "r"(fb[2 * half]),
                   "r"(fb[2 * half + 1]));
    for (int i = 0; i < 4; ++i)
      c[lane / 4 + i / 2 * 8][half * 8 + lane % 4 * 2 + i % 2] = d[i];
  }
  __syncwarp();
  for (int i = lane; i < 256; i += 32) {
    const int row = i / 16, column = i % 16;
    if (row < M && column < (MUTANT == 4 ? N + 1 : N) && row * N + column < M * N)
      C[row * N + column] = c[row][column];
  }
}
