// Threads hand values over by an mbarrier that one of them sets up.
// trace: --grid 2 --block 64 --arch sm_90 --arg f32[128]=iota --arg f32[128]=zero
// mutant 1: shared_race at arrive,wait (the others may come before it is set up)
// says 1: which thread (0,0,0) initialises
// mutant 2: shared_race at value (one thread takes a value before the phase is over)
// says 2: put __syncthreads() between the write and this read
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void hand_over(const float* in, float* out) {
  __shared__ unsigned long long phase;
  __shared__ float values[64];
  const int t = threadIdx.x;
  const unsigned at = (unsigned)__cvta_generic_to_shared(&phase);
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(at) : "memory");
#if MUTANT != 1
  __syncthreads();
#endif
  values[t] = in[blockIdx.x * 64 + t];
  asm volatile("{.reg .b64 s; mbarrier.arrive.shared.b64 s, [%0];}" ::"r"(at) : "memory");  //@arrive
  unsigned done = MUTANT == 2 && t == 40;
  while (!done) {
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0;"
                 "selp.u32 %0, 1, 0, p;}"
                 : "=r"(done) : "r"(at) : "memory");  //@wait
  }
  out[blockIdx.x * 64 + t] = values[63 - t];  //@value
}
