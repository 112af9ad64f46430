// Counters that one thread clears and many then change with atomics.
// trace: --grid 2 --block 128 --arg i32[256]=iota --arg i32[4]=zero --arg i32[64]=zero
// mutant 1: shared_race at clear,add (the total is cleared with no barrier before the leaders add)
// mutant 2: shared_race at bins,count (as above, but every lane counts; the first to count cleared)
// mutant 3: shared_race at warp_clear,lane_add (a barrier of the warp where the block needs one)
// mutant 4: global_race at own,give (the same in global memory, in one block)
// mutant 5: global_race at every (an atomic of one block's threads on what several blocks change)
// mutant 6: shared_race at plain (an update that is no atomic)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void counters(const int* in, int* sums, int* bins) {
  __shared__ int total;
  __shared__ int counts[32];
  __shared__ int odd;
  const int t = threadIdx.x;
  const int value = in[blockIdx.x * 128 + t];

  if (t == 0) total = 0;  //@clear
#if MUTANT != 1
  __syncthreads();
#endif
  int sum = value;
  for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
  if (t % 32 == 0) atomicAdd(&total, sum);  //@add

  if (t < 32) counts[t] = 0;  //@bins
#if MUTANT != 2
  __syncthreads();
#endif
#if MUTANT == 6
  counts[value / 2 % 32] += 1;  //@plain
#else
  atomicAdd(&counts[value % 32], 1);  //@count
#endif

  if (t == 0) odd = 0;  //@warp_clear
#if MUTANT == 3
  __syncwarp();
#else
  __syncthreads();
#endif
  if (value % 2 == 1) atomicAdd(&odd, 1);  //@lane_add
  __syncthreads();

  if (t == 0) sums[blockIdx.x] = total + odd;  //@own
#if MUTANT != 4
  __syncthreads();
#endif
  if (t % 32 == 0) atomicAdd(&sums[blockIdx.x], 1);  //@give
  if (t < 32) {
#if MUTANT == 5
    atomicAdd_block(&bins[t], counts[t]);  //@every
#else
    atomicAdd(&bins[t], counts[t]);
#endif
    atomicAdd_block(&bins[32 + blockIdx.x], 1);
  }
}
