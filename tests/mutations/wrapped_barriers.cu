// Producers and consumers that meet at named barriers, each wrapped in a function of one line.
// trace: --grid 2 --block 128 --arg f32[512]=iota --arg f32[512]=zero --arg i32:4
// mutant 1: barrier ... at full_wait (it counts the consumers alone)
// mutant 2: shared_race at put,take (the pairs of warps share one barrier, and one of them has no second)
// mutant 3: barrier ... at full (nobody waits until the buffer is read: the producers complete the barrier by themselves)
// mutant 4: barrier ... at full_wait (it waits at the next buffer's barrier)
// says 1: give the same number everywhere
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ void bar_sync(int id, int n) { asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(n) : "memory"); }
__device__ void bar_arrive(int id, int n) { asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(n) : "memory"); }

__global__ void relay(const float* in, float* out, int pieces) {
  __shared__ float buffer[64];
  const int t = threadIdx.x % 64;
  const int begin = blockIdx.x * pieces * 64;
  if (threadIdx.x < 64) {
    for (int p = 0; p < pieces; ++p) {
#if MUTANT != 3
      if (p > 0) bar_sync(2, 128);
#endif
      buffer[t] = in[begin + p * 64 + t];  //@put
      bar_arrive(1, 128);
    }
  } else {
    for (int p = 0; p < pieces; ++p) {
#if MUTANT == 1
      bar_sync(1, 64);  //@full_wait
#elif MUTANT == 4
      bar_sync(3, 128);  //@full_wait
#elif MUTANT == 2
      if (p > 0) bar_sync(1, 128);
#else
      bar_sync(1, 128);  //@full
#endif
      out[begin + p * 64 + t] = buffer[63 - t];  //@take
#if MUTANT != 3
      if (p + 1 < pieces) bar_arrive(2, 128);
#endif
    }
#if MUTANT == 2
    bar_sync(1, 128);
#endif
  }
}
