// Threads hand words over by an mbarrier at which all of them arrive. Of a mistake with the mbarrier
// the cause alone is told, not what follows from it.
// trace: --arch sm_90 --grid 2 --block 64 --arg f32[128]=random:1 --arg f32[128]=zero
// mutant 1: barrier at wait (it counts half of the threads, so that two phases are over at once)
// says 1: for 64 threads arrive and it counts 32: let mbarrier.init count all the arrivals of a phase
// mutant 2: shared_race at start,arrive (it is used before it is initialised)
// says 2: put __syncthreads() between its initialisation and its first use
// mutant 3: barrier at wait (it counts more than the threads)
// says 3: too few threads arrive (32 missing)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void handed(const float* in, float* out) {
  __shared__ float words[64];
  __shared__ unsigned long long all;
  const int t = threadIdx.x;
  const unsigned bar = (unsigned)__cvta_generic_to_shared(&all);
  constexpr int kCount = MUTANT == 1 ? 32 : MUTANT == 3 ? 96 : 64;
  if (t == 63) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "n"(kCount) : "memory");  //@start
#if MUTANT != 2
  __syncthreads();
#endif
  words[t] = in[blockIdx.x * 64 + t];
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");  //@arrive
  unsigned done = 0;
  while (!done) {
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
                 "selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(bar) : "memory");  //@wait
  }
  out[blockIdx.x * 64 + t] = words[63 - t];
}
