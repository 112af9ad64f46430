// A warp group that loads gives registers back, so that the two that compute may have more.
// trace: --arch sm_90a --grid 1 --block 384 --arg f32[256]=iota --arg f32[256]=zero
// mutant 1: barrier at more (together they ask for more than the block has)
// says 1: waits for ever for 248 registers a thread: the block's threads would have 66,560 together, and have 64,512
// mutant 2: barrier at more (nobody gives any back)
// mutant 3: barrier at fewer (one warp of the group gives its registers back)
// says 3: 1 of the 4 warps of this warp group execute this
// mutant 4: barrier at more (nor does a group that leaves at once)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void __launch_bounds__(384, 1) group_registers(const float* in, float* out) {
  __shared__ float row[256];
  const int t = threadIdx.x;
#if MUTANT == 4
  if (t < 128) return;
#endif
  if (t < 128) {
#if MUTANT == 3
    if (t < 32) asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");  //@fewer
#elif MUTANT != 2
    asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
#endif
    row[t] = in[t];
    row[128 + t] = in[128 + t];
    asm volatile("bar.sync 1, 384;" ::: "memory");
  } else {
#if MUTANT == 1
    asm volatile("setmaxnreg.inc.sync.aligned.u32 248;");  //@more
#else
    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");  //@more
#endif
#if MUTANT == 4
    out[t - 128] = in[t - 128];
    return;
#endif
    asm volatile("bar.sync 1, 384;" ::: "memory");
    out[t - 128] = row[383 - t] * 2.0f;
  }
}
