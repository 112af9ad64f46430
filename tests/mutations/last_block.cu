// Sum of everything in one launch: the block that comes last adds up what the others left.
// trace: --grid 6 --block 128 --arg f32[768]=random:9 --arg f32[6]=zero --arg f32[1]=zero --arg u32[1]=zero
// mutant 1: global_race at gather (no __threadfence before the ticket)
// mutant 2: shared_race ... at ask (nobody waits for the thread that took the ticket)
// mutant 3: global_race at gather (every block adds up)
// mutant 4: global_race at ticket (the ticket is no atomic)
// mutant 5: global_race at gather (a fence for the block alone)
// mutant 6: uninitialised ... at ask (the first block forgets the flag)
// mutant 7: shared_race at tree (no barrier in the tree)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void sum(const float* in, float* partial, float* result, unsigned* tickets) {
  __shared__ float part[128];
  __shared__ bool last;
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];  //@tree
#if MUTANT != 7
    __syncthreads();
#endif
  }
  if (t == 0) {
    partial[blockIdx.x] = part[0];  //@leave
#if MUTANT == 5
    __threadfence_block();
#elif MUTANT != 1
    __threadfence();
#endif
#if MUTANT == 4
    const unsigned ticket = *tickets;
    *tickets = ticket + 1;  //@ticket
#else
    const unsigned ticket = atomicAdd(tickets, 1u);
#endif
#if MUTANT == 6
    if (blockIdx.x != 0) last = ticket == gridDim.x - 1;
#else
    last = ticket == gridDim.x - 1;
#endif
  }
#if MUTANT != 2
  __syncthreads();
#endif
#if MUTANT == 3
  if (last || gridDim.x > 0) {
#else
  if (last) {  //@ask
#endif
    float total = 0.0f;
    for (int b = t; b < gridDim.x; b += 128) total += partial[b];  //@gather
    for (int o = 16; o > 0; o /= 2) total += __shfl_down_sync(__activemask(), total, o);
    if (t == 0) {
      *result = total;
      *tickets = 0;
    }
  }
}
