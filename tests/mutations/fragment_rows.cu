// A warp stores its sums as a matrix and goes over them element by element.
// trace: --grid 1 --block 32 --arg f16[256]=random:1 --arg f16[256]=random:2 --arg f32[256]=zero
// mutant 1: shared_race at put,take (no barrier of the warp between the two)
#ifndef MUTANT
#define MUTANT 0
#endif
#include <mma.h>
using namespace nvcuda;

__global__ void product(const half* a, const half* b, float* c) {
  __shared__ __align__(32) float sums[256];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(sums, sum, 16, wmma::mem_row_major);  //@put
#if MUTANT != 1
  __syncwarp();
#endif
  for (int i = threadIdx.x; i < 256; i += 32) c[i] = fmaxf(sums[i], 0.0f);  //@take
}
