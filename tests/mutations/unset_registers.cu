// Variables in registers that have no value on some path.
// trace: --grid 2 --block 64 --arg i32[128]=i%5 --arg f16[256]=iota --arg i32[128]=zero --arg f32[256]=zero --arg i32[2]=zero
// mutant 1: uninitialised at sum (the sums of a matrix product do not begin with zero)
// mutant 2: uninitialised ... at first (only one lane of the warp knows where its values begin)
// mutant 3: uninitialised ... at hand (the lane that is asked has no value)
// says 1: computes with a variable that has no value
// says 2: give it one where it is declared
// says 3: computes with a variable that has no value
#ifndef MUTANT
#define MUTANT 0
#endif
#include <mma.h>

struct Found {
  int kind, weight, unused;
};

__global__ void weigh(const int* kinds, const __half* m, int* out, float* product, int* count) {
  using namespace nvcuda::wmma;
  const int i = blockIdx.x * 64 + threadIdx.x, lane = threadIdx.x & 31;
  if (i < 32) {
    fragment<matrix_a, 16, 16, 16, __half, row_major> a;
    fragment<matrix_b, 16, 16, 16, __half, col_major> b;
    fragment<accumulator, 16, 16, 16, float> sum;
    if (MUTANT != 1) fill_fragment(sum, 0.0f);
    load_matrix_sync(a, m, 16);
    load_matrix_sync(b, m, 16);
    mma_sync(sum, a, b, sum);  //@sum
    store_matrix_sync(product, sum, 16, mem_row_major);
  }
  const int kind = kinds[i];
  const unsigned chosen = __ballot_sync(~0u, kind == 3);
  if (kind == 3) {
    const int rank = __popc(chosen & ((1u << lane) - 1));
    int first;  // only its owner's counts
    if (rank == 0) first = atomicAdd(count, __popc(chosen));
#if MUTANT == 3
    first = __shfl_sync(chosen, first, 31 - __clz(chosen));  //@hand
#elif MUTANT != 2
    first = __shfl_sync(chosen, first, __ffs(chosen) - 1);
#endif
    out[first + rank] = i;  //@first
  }
  // A structure is handed on with a member that nobody has set, or needs.
  Found found;
  found.kind = kind;
  switch (kind) {
    case 0: found.weight = 3; break;
    case 1: found.weight = 2 * i; break;
    case 2: found.weight = i * i; break;
    case 3: found.weight = kinds[i] + 7; break;
    default: found.weight = 0;
  }
  __shared__ Found all[64];
  all[threadIdx.x] = found;
  __syncthreads();
  const Found other = all[63 - threadIdx.x];
  if (other.weight > 40) atomicAdd(&count[1], other.kind);
}
