// Tiles are taken by tickets in turns of all blocks; a tile's status carries its sum in one word,
// and one loop both waits for those before it and adds them up. Nothing has to be in order.
// trace: --grid 4 --block 1 --arg f32[16]=random:9 --arg u32[2]=zero --arg u64[16]=zero --arg f32[32]=zero
// mutant 1: global_race at put,take (the sum has a word of its own, and there is no fence)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void scan(const float* in, unsigned* next, volatile unsigned long long* status, volatile float* sums) {
  for (;;) {
    const unsigned tile = atomicAdd(next, 1u);
    if (tile >= 16) break;
    const float own = in[tile];
    status[tile] = (1ull << 32) | __float_as_uint(own);
    float before = 0.0f;
    for (int j = static_cast<int>(tile) - 1; j >= 0;) {
      const unsigned long long word = status[j];
      if ((word >> 32) == 0) continue;
      before += __uint_as_float(static_cast<unsigned>(word));
      if ((word >> 32) == 2) break;
      --j;
    }
    sums[tile] = before + own;  //@put
#if MUTANT == 0
    __threadfence();
#endif
    status[tile] = (2ull << 32) | __float_as_uint(before + own);
    atomicAdd(next + 1, 1u);
    while (atomicAdd(next + 1, 0u) < 4 * (tile / 4 + 1)) {  // until each block has had its tile
    }
    if (tile % 4 == 0) sums[tile] = sums[tile + 3];  //@take
    const unsigned long long beside = status[tile ^ 1];
    if ((beside >> 32) == 2) sums[16 + tile] = __uint_as_float(static_cast<unsigned>(beside));
  }
}
