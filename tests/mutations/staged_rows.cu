// Rows summed with their neighbours over three stages of cp.async.
// trace: --grid 2 --block 64 --arg f32[4096]=random:1 --arg f32[4096]=zero --arg i32:8
// mutant 1: cp_async at use_left,use_right,use (waits for one group fewer)
// mutant 2: shared_race at use_left,use_right,copy (no barrier: only one's own copies are there)
// mutant 3: cp_async at use,use_left,use_right (the third tile is not committed)
// mutant 4: shared_race ... at copy,use,use_left,use_right (two stages for what needs three)
// mutant 5: misaligned ... at copy (16 bytes to rows padded by one float)
// mutant 6: out_of_bounds ... at copy (tiles behind the last are fetched)
// mutant 7: out_of_bounds at copy,use,use_left,use_right (half of the ring)
#ifndef MUTANT
#define MUTANT 0
#endif
#if MUTANT == 5
#define PITCH 257
#else
#define PITCH 256
#endif
#if MUTANT == 4
#define STAGES 2
#else
#define STAGES 3
#endif

__global__ void rows(const float* in, float* out, int tiles) {
#if MUTANT == 7
  __shared__ __align__(16) float ring[2][PITCH];
#else
  __shared__ __align__(16) float ring[STAGES][PITCH];
#endif
  const int t = threadIdx.x;
  const float* from = in + blockIdx.x * tiles * 256;
  const auto fetch = [&](int tile) {
#if MUTANT != 6
    if (tile < tiles)
#endif
    {
      const unsigned to = (unsigned)__cvta_generic_to_shared(&ring[tile % STAGES][4 * t]);
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to),  //@copy
                   "l"(from + tile * 256 + 4 * t)                          //@copy
                   : "memory");                                            //@copy
    }
#if MUTANT == 3
    if (tile != 2)
#endif
      asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fetch(0);  //@copy
  fetch(1);  //@copy
  for (int tile = 0; tile < tiles; ++tile) {
#if MUTANT == 1
    asm volatile("cp.async.wait_group 2;" ::: "memory");
#else
    asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
#if MUTANT != 2
    __syncthreads();
#endif
    fetch(tile + 2);  //@copy
    const float* row = ring[tile % STAGES];
    for (int i = t; i < 256; i += 64) {
      const float left = row[(i + 255) % 256];  //@use_left
      const float right = row[(i + 1) % 256];   //@use_right
      const float mid = row[i];                 //@use
      out[(blockIdx.x * tiles + tile) * 256 + i] = left + right - 2.0f * mid;
    }
  }
}
