// Blocks that draw the numbers of their tiles from a counter until none is left; whoever finishes
// the last tile adds up what all have left.
// trace: --grid 3 --block 64 --arg f32[1536]=iota --arg f32[24]=zero --arg u32[2]=zero --arg f32[24]=zero
// mutant 1: global_race at add,leave (no fence between a tile's sum and the count of finished tiles)
// mutant 2: global_race at leave,add (the tile before is looked at, which another block may have)
#ifndef MUTANT
#define MUTANT 0
#endif

constexpr unsigned kTiles = 24;

__global__ void drawn_tiles(const float* in, float* sums, unsigned* counters, float* out) {
  __shared__ unsigned drawn;
  __shared__ float half[2];
  const unsigned t = threadIdx.x;
  for (;;) {
    if (t == 0) drawn = atomicAdd(&counters[0], 1);
    __syncthreads();
    const unsigned tile = drawn;
    if (tile >= kTiles) return;
    float sum = in[tile * 64 + t];
    for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(~0u, sum, lanes);
    if (t % 32 == 0) half[t / 32] = sum;
    __syncthreads();
    if (t == 0) {
      sums[tile] = half[0] + half[1];  //@leave
#if MUTANT == 2
      if (tile > 0) out[tile] = sums[tile - 1];  //@add
#else
#if MUTANT != 1
      __threadfence();
#endif
      if (atomicAdd(&counters[1], 1) == kTiles - 1) {
        __threadfence();
        float all = 0;
        for (unsigned i = 0; i < kTiles; ++i) all += sums[i];  //@add
        *out = all;
      }
#endif
    }
  }
}
