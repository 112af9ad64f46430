// A chain of blocks: each leaves its sum in a volatile word and raises a volatile flag, which the
// next one polls. Volatile stores become visible in any order unless a fence lies between them.
// trace: --grid 8 --block 32 --arg f32[256]=random:9 --arg f32[8]=zero --arg u32[8]=zero
// mutant 1: global_race at leave,take (no fence before the flag)
// mutant 2: global_race at leave,take (the fence comes before the word)
// mutant 3: global_race at leave,take (a fence for the block alone)
// mutant 4: global_race at leave,take (no fence, and the flag is raised by an atomic)
// mutant 5: global_race at leave,take (a fence in another lane, which is not met before the flag)
// says 1: the flag or atomic that announces it: put __threadfence() between the two
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void chain(const float* in, volatile float* sums, volatile unsigned* flags) {
  float sum = in[blockIdx.x * 32 + threadIdx.x];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
#if MUTANT == 5
  if (threadIdx.x == 1) __threadfence();
#endif
  if (threadIdx.x != 0) return;
  if (blockIdx.x > 0) {
    while (flags[blockIdx.x - 1] == 0) {
    }
    sum += sums[blockIdx.x - 1];  //@take
  }
#if MUTANT == 2
  __threadfence();
#endif
  sums[blockIdx.x] = sum;  //@leave
#if MUTANT == 0
  __threadfence();
#elif MUTANT == 3
  __threadfence_block();
#endif
#if MUTANT == 4
  atomicExch(const_cast<unsigned*>(&flags[blockIdx.x]), 1u);
#else
  flags[blockIdx.x] = 1;
#endif
}
