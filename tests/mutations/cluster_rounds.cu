// Round by round each block of a pair leaves a row and adds up the other's.
// trace: --arch sm_90 --grid 4 --block 64 --arg f32[1024]=random:5 --arg f32[256]=zero
// mutant 1: shared_race at put (the next row comes before the last one has been read)
// says 1: may still have to read it
// mutant 2: shared_race at take (the pair does not meet before it reads)
// says 2: put cluster.sync() between the write and this read
#ifndef MUTANT
#define MUTANT 0
#endif
#include <cooperative_groups.h>

__global__ void __cluster_dims__(2) rows(const float* in, float* out) {
  __shared__ float row[64];
  const auto pair = cooperative_groups::this_cluster();
  const int t = threadIdx.x;
  float sum = 0.0f;
  for (int round = 0; round < 4; ++round) {
    row[t] = in[(round * 4 + blockIdx.x) * 64 + t];  //@put
#if MUTANT != 2
    pair.sync();
#endif
    sum += pair.map_shared_rank(row, pair.block_rank() ^ 1)[63 - t];  //@take
#if MUTANT != 1
    pair.sync();
#endif
  }
  pair.sync();
  out[blockIdx.x * 64 + t] = sum;
}
