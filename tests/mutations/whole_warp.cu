// ldmatrix and mma.sync, and wmma on a padded tile: the whole warp executes them, and the tile's rows
// begin where the instructions ask for it.
// trace: --grid 1 --block 64 --arg f16[512]=random:1 --arg f32[512]=zero
// mutant 1: barrier at load (half of a warp loads)
// says 1: of the warp's 32 threads execute this, which the whole warp must
// mutant 2: barrier at multiply (one lane has left)
// says 2: thread (0,0,0) does not
// mutant 3: misaligned at tile (rows of 20 halves)
// says 3: make the leading dimension a multiple of 8
// mutant 4: misaligned at tile (the tile begins in the middle of 16 bytes)
// says 4: the matrix begins at tile[4]
#include <cuda_fp16.h>
#include <mma.h>
#ifndef MUTANT
#define MUTANT 0
#endif
#define LD (MUTANT == 3 ? 20 : 24)

__global__ void products(const half* in, float* out) {
  __shared__ __align__(32) half tile[16 * 24 + 8];
  const int t = threadIdx.x;
  const int warp = t / 32;
  for (int i = t; i < 16 * 24 + 8; i += 64) tile[i] = in[i];
  __syncthreads();
  if (warp == 0) {
    const unsigned row = (unsigned)__cvta_generic_to_shared(&tile[t % 16 * 24 + t / 16 * 8]);
    unsigned a[4] = {}, b[2] = {1, 2};
    float c[4] = {};
#if MUTANT == 1
    if (t % 2 == 0)
#endif
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(a[0]), "=r"(a[1]), "=r"(a[2]), "=r"(a[3]) : "r"(row));  //@load
#if MUTANT == 2
    if (t == 0) return;
#endif
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 "
                 "{%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));  //@multiply
    for (int i = 0; i < 4; ++i) out[t * 4 + i] = c[i];
  } else {
    using namespace nvcuda;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> b;
    wmma::fill_fragment(sum, 0.f);
    wmma::load_matrix_sync(a, tile + (MUTANT == 4 ? 4 : 0), LD);  //@tile
    wmma::load_matrix_sync(b, in, 16);
    wmma::mma_sync(sum, a, b, sum);
    wmma::store_matrix_sync(out + 256, sum, 16, wmma::mem_row_major);
  }
}
