// One warp fills a tile for four that read it, and fills it again when all have released it; then
// warps count in one word. A named barrier orders some warps each time, not the whole block.
// trace: --grid 1 --block 160 --arg f32[64]=iota --arg f32[256]=zero --arg i32[2]=zero
// mutant 1: shared_race ... at read,again (the second of four readers releases the tile before it reads)
// mutant 2: shared_race ... at read,again (the third does)
// mutant 3: shared_race at count,sum (the sum is read when half of the warps have counted)
// mutant 4: shared_race at flag,seen (lanes read a flag that other lanes of their warp set)
// mutant 5: shared_race at left,taken (a warp leaves its values behind and arrives nowhere)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ void arrive(int barrier, int threads) {
  asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ void meet(int barrier, int threads) {
  asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

__global__ void releases(const float* in, float* out, int* counts) {
  __shared__ float tile[32];
  __shared__ float rest[32];
  __shared__ int counted;
  __shared__ int flag;
  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) counted = flag = 0;
  if (warp == 4) tile[lane] = in[lane];
  __syncthreads();
  if (warp == 4) {
    meet(1, 160);
    tile[lane] = in[32 + lane];  //@again
  } else {
    float value = 0;
    const bool is_early = (MUTANT == 1 && warp == 1) || (MUTANT == 2 && warp == 2);
    if (!is_early) value = tile[lane];
    arrive(1, 160);
    if (is_early) value = tile[lane];  //@read
    out[threadIdx.x] = value;
  }
  __syncthreads();
  if (warp < 4) {
    atomicAdd(&counted, lane);  //@count
#if MUTANT == 3
    if (warp >= 2) meet(2, 64);
#else
    meet(2, 128);
#endif
    if (warp == 3 && lane == 0) counts[0] = counted;  //@sum
  }
  __syncthreads();
  if (lane < 16 && warp == 0) flag = 5;  //@flag
#if MUTANT != 4
  __syncwarp();
#endif
  if (warp == 0) out[160 + lane] = flag + tile[lane];  //@seen
  __syncthreads();
  if (warp == 4) {
    rest[lane] = in[lane];  //@left
#if MUTANT != 5
    arrive(3, 64);
#endif
    return;
  }
#if MUTANT == 5
  if (warp >= 2) meet(3, 64);
#else
  if (warp == 3) meet(3, 64);
#endif
  if (warp == 3) out[192 + lane] = rest[31 - lane];  //@taken
}
