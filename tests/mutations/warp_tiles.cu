// Each warp turns its own 32 x 8 piece around through shared memory, without a block-wide barrier.
// trace: --grid 2 --block 128 --arg f32[2048]=random:3 --arg f32[2048]=zero
// mutant 1: shared_race at get (no __syncwarp)
// mutant 2: shared_race at put (no __syncwarp before the next piece)
// mutant 3: shared_race at put,get (warps share one piece)
// mutant 4: uninitialised at get (an odd lane does not write)
// mutant 5: shared_race at put,get (half of the lanes wait for all, which have left by then)
// mutant 6: out_of_bounds ... at get (a row too far)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void turn(const float* in, float* out) {
  __shared__ float pieces[4][32][5];
  const int lane = threadIdx.x % 32;
#if MUTANT == 3
  const int warp = 0;
#else
  const int warp = threadIdx.x / 32;
#endif
  const int base = (blockIdx.x * 4 + threadIdx.x / 32) * 256;
  for (int half = 0; half < 2; ++half) {
    const int from = base + half * 128;
    for (int k = 0; k < 4; ++k) {
#if MUTANT == 4
      if (lane % 2 == 0)
#endif
      pieces[warp][lane][k] = in[from + k * 32 + lane];  //@put
    }
#if MUTANT == 5
    if (lane < 16) __syncwarp();  //@wait
#elif MUTANT != 1
    __syncwarp();
#endif
    for (int k = 0; k < 4; ++k) {
      const int row = k * 8 + lane / 4;
#if MUTANT == 6
      out[from + k * 32 + lane] = pieces[warp + 1][row][lane % 4];  //@get
#else
      out[from + k * 32 + lane] = pieces[warp][row][lane % 4];  //@get
#endif
    }
#if MUTANT != 2
    __syncwarp();
#endif
  }
}
