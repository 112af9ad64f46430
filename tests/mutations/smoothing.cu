// Several steps of a smoothing filter on a row in shared memory, two buffers in turns; a halo of
// one element for each step.
// trace: --grid 4 --block 64 --arg f32[256]=random:2 --arg f32[256]=zero --arg i32:3
// mutant 1: shared_race at smooth (in place)
// mutant 2: shared_race ... at smooth (the buffers are not swapped for one half of the threads)
// mutant 3: uninitialised at smooth (the halo is one element too short)
// mutant 4: shared_race at smooth (the barrier stands before the first step only)
// mutant 5: barrier at step (the threads of the halo leave before the last step)
// mutant 6: out_of_bounds at fetch (the row's ends are not looked at)
#ifndef MUTANT
#define MUTANT 0
#endif
#define STEPS 3
#define WIDE (64 + 2 * STEPS)

__global__ void smooth(const float* in, float* out, int steps) {
  __shared__ float rows[2][WIDE];
  const int first = blockIdx.x * 64 - STEPS;
#if MUTANT == 3
  const int end = WIDE - 1;
#else
  const int end = WIDE;
#endif
  for (int i = threadIdx.x; i < end; i += 64) {
    const int at = first + i;
#if MUTANT == 6
    rows[0][i] = in[at];  //@fetch
#else
    rows[0][i] = at >= 0 && at < 256 ? in[at] : 0.0f;
#endif
  }
  int from = 0;
#if MUTANT == 4
  __syncthreads();
#endif
  for (int s = 1; s <= steps; ++s) {
#if MUTANT == 5
    if (threadIdx.x >= 64 - s) break;
#endif
#if MUTANT != 4
    __syncthreads();  //@step
#endif
#if MUTANT == 1
    const int to = from;
#elif MUTANT == 2
    const int to = threadIdx.x < 32 ? 1 - from : from;
#else
    const int to = 1 - from;
#endif
    for (int i = s + threadIdx.x; i < WIDE - s; i += 64)
      rows[to][i] = 0.5f * rows[from][i] + 0.25f * (rows[from][i - 1] + rows[from][i + 1]);  //@smooth
    from = to;
  }
  __syncthreads();
  out[blockIdx.x * 64 + threadIdx.x] = rows[from][STEPS + threadIdx.x];
}
