// Blocks store tiles by bulk copies and sum what they have stored; the tiles of several blocks are
// added up by a bulk reduction.
// trace: --arch sm_90 --grid 3 --block 64 --arg f32[192]=iota --arg f32[256]=zero --arg f32[64]=zero --arg f32[3]=zero
// mutant 1: cp_async at again (the source alone has been waited for, not the destination)
// says 1: without .read
// mutant 2: global_race at store (the tiles of neighbouring blocks overlap)
// mutant 3: global_race at again,store (the other threads do not wait for the store)
// mutant 4: global_race at reduce (tiles are stored where they are to be added)
// mutant 5: global_race at store,again (a block reads its neighbour's tile)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }

__global__ void tiles(const float* in, float* out, float* all, float* sums) {
  __shared__ alignas(128) float tile[64];
  const int t = threadIdx.x;
  tile[t] = in[blockIdx.x * 64 + t] + 1;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float* const to = out + blockIdx.x * (MUTANT == 2 ? 48 : 64);
  if (t == 0) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(to), "r"(place(tile)) : "memory");  //@store
#if MUTANT == 4
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(all), "r"(place(tile)) : "memory");  //@reduce
#else
    asm volatile("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.f32 [%0], [%1], 256;" ::"l"(all), "r"(place(tile)) : "memory");  //@reduce
#endif
    asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#if MUTANT == 1
    asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#else
    asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
#endif
  }
#if MUTANT != 3
  __syncthreads();
#endif
  const float* const stored = to + (MUTANT == 5 ? 64 : 0);
  const float mine = stored[63 - t] + (t < 32 ? 0.0f : 1.0f);  //@again
  if (t == 32) sums[blockIdx.x] = mine;
}
