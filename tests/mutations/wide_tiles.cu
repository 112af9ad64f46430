// Sums by tiles of two warps, whose barriers lie in memory that CUDA keeps for itself.
// trace: --grid 2 --block 128 --arg i32[256]=iota --arg i32[256]=zero
// mutant 1: shared_race at put,get (no barrier before the other warps' elements are read)
// mutant 2: uninitialised at get (half of the elements are not written)
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#ifndef MUTANT
#define MUTANT 0
#endif

namespace cg = cooperative_groups;

__global__ void tile_sums(const int* in, int* out) {
  __shared__ int held[128];
  __shared__ cg::block_tile_memory<128> memory;
  const auto block = cg::this_thread_block(memory);
  const auto tile = cg::tiled_partition<64>(block);
#if MUTANT == 2
  if (threadIdx.x % 2 == 0)
#endif
    held[threadIdx.x] = in[blockIdx.x * 128 + threadIdx.x];  //@put
#if MUTANT != 1
  block.sync();
#endif
  const int value = held[(threadIdx.x + 64) % 128];  //@get
  const int sum = cg::reduce(tile, value, cg::plus<int>());
  tile.sync();
  out[blockIdx.x * 128 + threadIdx.x] = sum;
}
