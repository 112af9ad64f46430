// Blocks that take a lock within another one; some take the inner one alone.
// trace: --grid 6 --block 32 --arg i32[2]=zero --arg f32[2]=zero
// mutant 1: global_race at inner (the inner lock is given back before the last change)
// says 1: let all take one lock before and give it back after
// mutant 2: global_race at inner (there are two locks for one place)
// says 2: but not the same one
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ void take(int* lock) {
  while (atomicCAS(lock, 0, 1) != 0) {}
  __threadfence();
}
__device__ void give(int* lock) {
  __threadfence();
  atomicExch(lock, 0);
}

__global__ void nested(int* locks, float* sums) {
  if (threadIdx.x != 0) return;
  const bool takes_both = blockIdx.x % 2 == 1;
  int* const inner = MUTANT == 2 ? locks + blockIdx.x % 2 : locks + 1;
  if (MUTANT != 2 && takes_both) {
    take(locks);
    sums[0] += 1;
  }
  take(inner);
  sums[1] += 1;  //@inner
#if MUTANT == 1
  give(inner);
  if (takes_both) sums[1] += 1;
#else
  if (takes_both) sums[1] += 1;
  give(inner);
#endif
  if (MUTANT != 2 && takes_both) give(locks);
}
