// Threads claim free slots, take places in a queue and keep flags and a highest value: each a
// change of one word that several threads make, in one step with an atomic.
// trace: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
// mutant 1: shared_race at look,take (two threads may find one slot free)
// says 1: with an atomic (atomicCAS
// mutant 2: shared_race ... at next (a place in the queue is taken by a load and a store)
// says 2: use an atomic (atomicAdd)
// mutant 3: shared_race at flag (flags in one word are set by a load and a store)
// says 3: use an atomic (atomicOr)
// mutant 4: shared_race at highest (the highest value is kept by a load and a store)
// says 4: use an atomic (atomicMax)
// mutant 5: shared_race at late (one thread closes slots that the others still look at)
// says 5: put __syncthreads() between the read and this write
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void claims(const int* in, int* out) {
  __shared__ int slots[16];
  __shared__ int queue[64];
  __shared__ int next, flags, highest;
  const int t = threadIdx.x;
  if (t < 16) slots[t] = 0;
  if (t == 0) next = flags = highest = 0;
  queue[t] = -1;
  __syncthreads();
  const int key = in[t] * 7 + 1;
  int slot = key % 16;
  for (int tries = 0; tries < 16; ++tries, slot = (slot + 1) % 16) {
#if MUTANT == 1
    const int old = slots[slot];      //@look
    if (old == 0) slots[slot] = key;  //@take
#else
    const int old = atomicCAS(&slots[slot], 0, key);
#endif
    if (old == 0) break;
  }
  if (key % 3 != 0) {
#if MUTANT == 2
    const int place = next++;  //@next
#else
    const int place = atomicAdd(&next, 1);
#endif
    queue[place] = key;  //@next
  }
#if MUTANT == 3
  flags |= 1 << key % 32;  //@flag
#else
  atomicOr(&flags, 1 << key % 32);
#endif
#if MUTANT == 4
  highest = max(highest, key * (t % 5));  //@highest
#else
  atomicMax(&highest, key * (t % 5));
#endif
#if MUTANT == 5
  __syncthreads();
  const int seen = slots[0];                   //@late
  if (t == 40 && seen != 0) slots[0] = -seen;  //@late
  out[t] = seen;
#endif
  __syncthreads();
  out[t] = queue[t] + slots[t % 16] + flags + highest;
}
