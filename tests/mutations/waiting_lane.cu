// One lane of the first warp waits for what the second warp takes long to write. The others of its
// warp run ahead to where all of them exchange values, and wait there: at a vote, at a shuffle
// and, past __syncwarp, at the product of a tensor core.
// trace: --grid 1 --block 64 --arg f16[256]=random:1 --arg f16[256]=random:2 --arg u32[2]=zero --arg u32[64]=zero --arg f32[256]=zero
// mutant 1: barrier ... at sum (lane 0 stays away from the shuffles that name it)
// mutant 2: barrier ... at sum (lane 0 has left before the others take its value)
// mutant 3: barrier ... at products (lane 0 stays away from the product)
// mutant 4: endless at flag (nobody writes the flag)
#include <mma.h>
using namespace nvcuda;
#ifndef MUTANT
#define MUTANT 0
#endif
constexpr unsigned kAll = 0xffffffffu;

__device__ unsigned wait_for(unsigned* flag) {
  unsigned seen = 0;
  while ((seen = atomicAdd(flag, 0u)) == 0) {  //@flag
  }
  __threadfence();
  return seen;
}

__device__ void multiply(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(left, a, 16);  //@products
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(c, sum, 16, wmma::mem_row_major);
}

extern "C" __global__ void waiting_lane(const half* a, const half* b, unsigned* flags,
                                        unsigned* out, float* c) {
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x >= 32) {
    for (int flag = 0; flag < 2; ++flag) {
      unsigned state = lane;
      for (int i = 0; i < 60000; ++i) state = state * 1664525u + 1013904223u;
      out[32 + lane] = state;
      __syncwarp();
      if (lane == 31 && MUTANT != 4) {
        __threadfence();
        atomicExch(flags + flag, 1u);
      }
    }
    return;
  }
  unsigned seen = 0;
  if (lane == 0) seen = wait_for(flags);
  const unsigned votes = __ballot_sync(kAll, seen != 0);
  unsigned sum = seen + votes + lane;
#if MUTANT == 2
  if (lane == 0) return;
#endif
  if (MUTANT != 1 || lane != 0) {
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(kAll, sum, offset);  //@sum
  }
  out[lane] = sum;  //@use
  if (lane == 0) wait_for(flags + 1);
  __syncwarp();
  if (MUTANT != 3 || lane != 0) multiply(a, b, c);
}
