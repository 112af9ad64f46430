// Boxes of a matrix pass through shared memory: each is loaded through a tensor map with a swizzle,
// doubled by all threads and stored through another, over the edges too.
// trace: --arch sm_90a --grid 3 --block 64 --arg tensormap:f32+box32x16+swizzle128+nan[96x40]=iota --arg tensormap:f32+box32x16+swizzle128[96x40]=zero
// mutant 1: cp_async ... at take (nobody waits for the box)
// mutant 2: shared_race at store (no fence: the store may not see what was written)
// mutant 3: cp_async at load (the next box is loaded while the last may still be read)
// mutant 4: cp_async at store (the thread leaves while its store may still read)
// mutant 5: shared_race at store,put (the store does not wait for the other threads)
// mutant 6: barrier at wait (the barrier expects more bytes than the box has)
// mutant 7: out_of_bounds ... at load (the box begins in the middle of its array)
// says 2: copies out
// says 3: bulk store (line
// says 6: 1024 bytes
// says 7: writes box[767], 256 past its end: 512 elements of 4 bytes
// shows 0: coalescing: by one bulk copy
#ifndef MUTANT
#define MUTANT 0
#endif
#include <cuda.h>

__device__ unsigned address(const void* of) { return static_cast<unsigned>(__cvta_generic_to_shared(of)); }

__global__ void twice(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to) {
  __shared__ alignas(1024) float box[16][32];
  __shared__ alignas(8) unsigned long long full;
  const unsigned bar = address(&full), place = address(box);
  if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
  __syncthreads();
  for (int down = 0; down < 3; ++down) {
    if (threadIdx.x == 0) {
#if MUTANT == 6
      constexpr unsigned kBytes = sizeof box + 1024;
#else
      constexpr unsigned kBytes = sizeof box;
#endif
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(kBytes));
      asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(MUTANT == 7 ? place + 1024 : place), "l"(&from), "r"(blockIdx.x * 32), "r"(down * 16), "r"(bar) : "memory");  //@load
    }
#if MUTANT == 1
    __syncthreads();
#else
    asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again; }" ::"r"(bar), "r"(down & 1) : "memory");  //@wait
#endif
    for (int i = threadIdx.x; i < 512; i += 64) {
      float& element = (&box[0][0])[i];
      const float loaded = element;  //@take
      element = 2 * loaded;  //@put
    }
#if MUTANT != 2
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
#if MUTANT != 5
    __syncthreads();
#endif
    if (threadIdx.x == 0) {
      asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&to), "r"(blockIdx.x * 32), "r"(down * 16), "r"(place) : "memory");  //@store
      asm volatile("cp.async.bulk.commit_group;" ::: "memory");
#if MUTANT == 4
      if (down < 2)
#endif
#if MUTANT != 3
      asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
    }
    __syncthreads();
  }
#if MUTANT == 1
  if (threadIdx.x == 0) asm volatile("{ .reg .pred p;\nmbarrier.try_wait.parity.shared.b64 p, [%0], 0; }" ::"r"(bar) : "memory");
#endif
#if MUTANT == 3
  if (threadIdx.x == 0) asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
#endif
}
