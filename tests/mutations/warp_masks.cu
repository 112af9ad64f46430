// Exchanges inside a warp: who takes part, and whom the mask names.
// trace: --grid 2 --block 64 --arg f32[100]=random:1 --arg f32[4]=zero --arg f32[128]=zero --arg u32[256]=zero --arg i32:100
// mutant 1: barrier at tail (lanes past the end have left, and their values are added up)
// mutant 2: barrier at redux (the upper half executes it with the lower half's mask)
// mutant 3: barrier at ballot (as above)
// mutant 4: barrier at half (as above)
// mutant 5: barrier at match (as above)
// mutant 6: barrier at tile (takes from a lane of another tile, which its mask does not name)
// mutant 7: barrier at down (stores what the upper lanes of the half take from beyond it)
#ifndef MUTANT
#define MUTANT 0
#endif
#define FULL 0xffffffffu

__global__ void masks(const float* in, float* sums, float* next, unsigned* words, int n) {
  const int lane = threadIdx.x % 32;
  const int i = blockIdx.x * 64 + threadIdx.x;
  const unsigned own = lane < 16 ? 0xffffu : 0xffff0000u;
  unsigned x = i * 7u;

  x += __reduce_add_sync(MUTANT == 2 ? 0xffffu : own, x);     //@redux
  x += __ballot_sync(MUTANT == 3 ? 0xffffu : own, x & 1u);    //@ballot
  x += __shfl_xor_sync(MUTANT == 4 ? 0xffffu : own, x, 3);    //@half
  x += __match_any_sync(MUTANT == 5 ? 0xffffu : own, x & 7);  //@match

  // Tiles of eight lanes, each with its own mask.
  const int source = MUTANT == 6 ? (lane + 8) % 32 : (lane & 24) + (lane + 1) % 8;
  x += __shfl_sync(0xffu << (lane & 24), x, source);  //@tile
  words[128 + i] = x;

  // Only the lowest lane's sum is good, and only that one is kept.
  unsigned sum = x;
  if (lane < 16) {
    for (int o = 8; o > 0; o /= 2) sum += __shfl_down_sync(0xffffu, sum, o);  //@down
  }
  words[i] = MUTANT == 7 || lane == 0 ? sum : x;

#if MUTANT == 1
  if (i >= n) return;
#endif
  float total = i < n ? in[i] : 0.0f;
  for (int o = 16; o > 0; o /= 2) total += __shfl_down_sync(FULL, total, o);  //@tail
  if (lane == 0) sums[i / 32] = total;

  // The last lane takes from one that has left, and has no use for it.
  if (i >= n) return;
  const float right = __shfl_down_sync(FULL, in[i], 1);
  if (lane < 31 && i + 1 < n) next[i] = right;
}
