// The block that comes last adds up what the others left, which it reads past its L1.
// trace: --grid 6 --block 64 --arg f32[384]=random:9 --arg f32[6]=zero --arg f32[1]=zero --arg u32[1]=zero
// mutant 1: global_race at gather (no __threadfence before the ticket)
// mutant 2: global_race at gather (a fence for the block alone)
// mutant 3: global_race at first (no fence, and a volatile load outside any loop)
// mutant 4: global_race at cached (no fence, __ldcg instead of volatile)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void sum(const float* in, float* partial, float* result, unsigned* tickets) {
  __shared__ unsigned ticket;
  if (threadIdx.x == 0) {
    float own = 0;
    for (int i = 0; i < 64; ++i) own += in[blockIdx.x * 64 + i];
    partial[blockIdx.x] = own;
#if MUTANT == 2
    __threadfence_block();
#elif MUTANT == 0
    __threadfence();
#endif
    ticket = atomicAdd(tickets, 1u);
  }
  __syncthreads();
  if (ticket + 1 != gridDim.x || threadIdx.x != 0) return;
  volatile const float* left = partial;
#if MUTANT == 3
  float total = left[0];  //@first
#elif MUTANT == 4
  float total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += __ldcg(&partial[b]);  //@cached
#else
  float total = 0;
  for (unsigned b = 0; b < gridDim.x; ++b) total += left[b];  //@gather
#endif
  *result = total;
}
