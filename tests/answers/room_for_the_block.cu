// One thread of the first warp reserves room for the block with an atomic and leaves the place in
// shared memory; all threads read it with no barrier in between. A compiler that moves the read behind
// a later barrier hides this. With one warp the warp's own order is missing too.
// trace: --grid 3 --block 96 --arg u32[288]=iota --arg u32[1]=zero --arg u32[288]=zero
// trace 1: -D NO_BARRIER
// mutant 1: shared_race at place (no barrier after the reservation)
__global__ void kept_places(const unsigned* in, unsigned* next, unsigned* places) {
  __shared__ unsigned counts[3];
  __shared__ unsigned first;
  const int t = threadIdx.x, lane = t % 32, i = blockIdx.x * 96 + t;
  const bool kept = in[i] % 3 != 0;
  const unsigned votes = __ballot_sync(~0u, kept);
  if (lane == 0) counts[t / 32] = __popc(votes);
  __syncthreads();
  unsigned before = __popc(votes & ((1u << lane) - 1));
  for (int warp = 0; warp < t / 32; ++warp) before += counts[warp];
  if (t == 0) first = atomicAdd(next, counts[0] + counts[1] + counts[2]);
#ifndef NO_BARRIER
  __syncthreads();
#endif
  places[i] = kept ? first + before : ~0u;  //@place
}
