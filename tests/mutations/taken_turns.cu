// Two blocks take turns, which a volatile word says; each adds what the other has left.
// trace: --grid 2 --block 32 --arg i32[2]=zero --arg i32[1]=zero --arg i32[2]=zero
// mutant 1: global_race at leave,take (no fence between what is left and the turn)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void rally(volatile int* left, volatile int* turn, int* sums) {
  if (threadIdx.x != 0) return;
  const int own = blockIdx.x;
  int sum = 0;
  for (int round = 0; round < 5; ++round) {
    while (*turn % 2 != own) {
    }
    sum += left[1 - own];   //@take
    left[own] = sum + 1;    //@leave
#if MUTANT == 0
    __threadfence();
#endif
    *turn = *turn + 1;  // its own order: nobody else writes it now
  }
  sums[own] = sum;
}
