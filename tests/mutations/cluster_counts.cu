// The blocks of a cluster count in the first one's shared memory what is positive and not the
// neighbour's, of whose lanes each has left a number.
// trace: --arch sm_90 --grid 8 --block 64 --arg f32[512]=iota --arg u32[2]=zero
// mutant 1: shared_race at add,look (the cluster does not meet before it uses what a block set)
// says 1: with no cluster.sync() between them: put
// mutant 2: shared_race at add (lanes of four blocks add without an atomic)
// says 2: so that a change is lost; use an atomic (atomicAdd), or, where one of them is meant to come first, put cluster.sync() between them
// mutant 3: shared_race at tell (the cluster does not meet before the count is read)
#ifndef MUTANT
#define MUTANT 0
#endif
#include <cooperative_groups.h>

__global__ void __cluster_dims__(4) count(const float* in, unsigned* out) {
  __shared__ unsigned total;
  __shared__ unsigned beside[64];
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned t = threadIdx.x;
  if (t == 0) total = 0;
  beside[t] = blockIdx.x ^ 1;
#if MUTANT == 1
  __syncthreads();
#else
  cluster.sync();
#endif
  const unsigned there = cluster.map_shared_rank(beside, cluster.block_rank() ^ 1)[t];  //@look
  const bool counts = there == blockIdx.x && in[blockIdx.x * 64 + t] > 0.0f;
  const unsigned positive = __popc(__ballot_sync(0xffffffffu, counts));
  unsigned* const home = cluster.map_shared_rank(&total, 0);
  if (t % 32 == 0) {
#if MUTANT == 2
    *home += positive;  //@add
#else
    atomicAdd(home, positive);  //@add
#endif
  }
#if MUTANT != 3
  cluster.sync();
#endif
  if (t == 0 && cluster.block_rank() == 0) out[blockIdx.x / 4] = total;  //@tell
#if MUTANT == 3
  cluster.sync();
#endif
}
