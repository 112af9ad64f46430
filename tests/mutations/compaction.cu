// Keeps the positive values: places by a warp's ballot, one atomic a warp, written in order.
// trace: --grid 3 --block 128 --arg f32[384]=random:3 --arg f32[384]=zero --arg u32[1]=zero
// mutant 1: uninitialised ... at claim (nobody sets the block's count to 0)
// mutant 2: shared_race at clear,claim (no barrier after it is set)
// mutant 3: barrier ... at spread (the place is taken from the lowest lane of all, which is not in the mask)
// mutant 4: shared_race ... at base,use (the block's place in the result is read before it is known)
// mutant 5: global_race at give (every block begins at the start)
// mutant 6: barrier at ballot (lanes vote with the full mask inside the branch)
#ifndef MUTANT
#define MUTANT 0
#endif
#define FULL 0xffffffffu

__global__ void keep(const float* in, float* out, unsigned* total) {
  __shared__ unsigned count;
  __shared__ unsigned base;
  const int t = threadIdx.x;
  const unsigned lane = t % 32;
  const float value = in[blockIdx.x * 128 + t];
#if MUTANT != 1
  if (t == 0) count = 0;  //@clear
#endif
#if MUTANT != 2
  __syncthreads();
#endif
  const bool wanted = value > 0.25f && lane > 2;
#if MUTANT == 6
  unsigned mask = 0;
  if (wanted) mask = __ballot_sync(FULL, true);  //@ballot
#else
  const unsigned mask = __ballot_sync(FULL, wanted);
#endif
  unsigned place = 0;
  if (wanted) {
    const int leader = __ffs(mask) - 1;
    if (lane == leader) place = atomicAdd(&count, __popc(mask));  //@claim
#if MUTANT == 3
    place = __shfl_sync(mask, place, 0);  //@spread
#else
    place = __shfl_sync(mask, place, leader);
#endif
    place += __popc(mask & ((1u << lane) - 1));
  }
  __syncthreads();
  if (t == 0) base = atomicAdd(total, count);  //@base
#if MUTANT != 4
  __syncthreads();
#endif
#if MUTANT == 5
  if (wanted) out[place] = value;  //@give
#else
  if (wanted) out[base + place] = value;  //@use
#endif
}
