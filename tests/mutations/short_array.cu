// A box of a matrix is copied into shared memory beside another array.
// trace: --grid 1 --block 32 --arg tensormap:f32+box32x8[64x64]=iota --arg f32[256]=zero
// mutant 1: out_of_bounds at load (the array is a row shorter than the box)
// says 1: copies 1024 bytes into box from its byte 0 on, which has 896: 128 are written over what is next to it
#ifndef MUTANT
#define MUTANT 0
#endif
#include <cuda.h>

__device__ unsigned address(const void* of) { return static_cast<unsigned>(__cvta_generic_to_shared(of)); }

__global__ void add_weights(const __grid_constant__ CUtensorMap from, float* out) {
  constexpr int kRows = MUTANT == 1 ? 7 : 8;
  __shared__ alignas(128) float box[kRows * 32];
  __shared__ float weight[32];
  __shared__ alignas(8) unsigned long long full;
  weight[threadIdx.x] = 0.5f * threadIdx.x;
  const unsigned bar = address(&full), place = address(box);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(bar) : "memory");
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(place), "l"(&from), "r"(0), "r"(0), "r"(bar) : "memory");  //@load
  }
  asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again; }" ::"r"(bar) : "memory");
  for (int i = threadIdx.x; i < kRows * 32; i += 32) out[i] = box[i] + weight[threadIdx.x];
}
