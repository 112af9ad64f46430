// Sums and the largest under locks: one among the threads of a block, one among blocks. The lock alone
// does not make visible what was written under it, and a barrier there would wait for ever.
// trace: --grid 3 --block 64 --arg i32[1]=zero --arg f32[4]=zero --arg f32[4]=zero
// mutant 1: global_race at critical (no fence within the lock of the blocks)
// says 1: put __threadfence() after the lock is taken
// mutant 2: shared_race at critical (no fence within the lock of the threads)
// says 2: put __threadfence_block() after the lock is taken
// mutant 3: global_race at critical (no lock at all)
// says 3: use an atomic (atomicAdd)
// mutant 4: global_race at critical (the lock is given back by a plain store)
// says 4: given back (atomicExch)
// mutant 5: global_race at critical (every thread takes the lock, without a fence)
// says 5: put __threadfence() after the lock is taken
// mutant 6: global_race at critical (the lock is one among the threads of a block)
#ifndef MUTANT
#define MUTANT 0
#endif
__global__ void locked(int* lock, float* total, float* most) {
  __shared__ int mine;
  __shared__ float sum;
  const int t = threadIdx.x;
  if (t == 0) { mine = 0; sum = 0; }
  __syncthreads();
#if MUTANT == 2
  for (bool done = false; !done;) {
    if (atomicCAS(&mine, 0, 1) == 0) {
      sum += t;  //@critical
      done = true;
      atomicExch(&mine, 0);
    }
  }
#else
  for (bool done = false; !done;) {
    if (atomicCAS(&mine, 0, 1) == 0) {
      __threadfence_block();
      sum += t;  //@critical
      done = true;
      __threadfence_block();
      atomicExch(&mine, 0);
    }
  }
#endif
  __syncthreads();
#if MUTANT == 5
  for (bool done = false; !done;) {
    if (atomicCAS(lock, 0, 1) == 0) {
      *total += t;  //@critical
      done = true;
      atomicExch(lock, 0);
    }
  }
#else
  if (t == 0) {
#if MUTANT == 6
    while (atomicCAS_block(lock, 0, 1) != 0) {}
#elif MUTANT != 3
    while (atomicCAS(lock, 0, 1) != 0) {}
#endif
    if (MUTANT != 1) __threadfence();
    *total += sum;  //@critical
    if (*most < sum) *most = sum;  //@critical
    if (MUTANT != 1) __threadfence();
#if MUTANT == 4
    *lock = 0;
#elif MUTANT != 3
    atomicExch(lock, 0);
#endif
  }
#endif
}
