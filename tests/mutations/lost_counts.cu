// Lanes of one warp count into the same few words. They read the old count together and store the same
// new one, so that no two values differ and yet counts are lost.
// trace: --grid 2 --block 32 --arg u32[64]=random:3 --arg u32[16]=zero --arg u32[1]=zero
// mutant 1: shared_race at count (no atomic in shared memory)
// says 1: so that a change is lost; use an atomic (atomicAdd), or, if one change is meant, let one lane make it
// mutant 2: global_race at total (no atomic in global memory)
// says 2: so that a change is lost; use an atomic (atomicAdd)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void parities(const unsigned* in, unsigned* bins, unsigned* total) {
  __shared__ unsigned count[8];
  const unsigned t = threadIdx.x;
  if (t < 8) count[t] = 0;
  __syncwarp();
  const unsigned bin = in[blockIdx.x * 32 + t] & 7;
#if MUTANT == 1
  count[bin] += 1;  //@count
#else
  atomicAdd(&count[bin], 1u);
#endif
  __syncwarp();
  if (t < 8) bins[blockIdx.x * 8 + t] = count[t];
  // The largest of all lanes is the same for each of them: they may all store it.
  const unsigned largest = __reduce_max_sync(0xffffffffu, bin);
  count[0] = largest;
  if (blockIdx.x == 0 && (bin & 1) != 0) {
#if MUTANT == 2
    *total += 1;  //@total
#else
    atomicAdd(total, 1u);
#endif
  }
}
