// One box for the two blocks of a cluster: each loads one half of it and has it written into both
// (multicast), so that the L2 is asked for every row once.
// trace: --arch sm_90a --grid 4 --block 64 --arg tensormap:f32+box64x16[64x64]=iota --arg f32[256]=zero
// shows: tiling: boxes of 16 × 64 into shared memory. Boxes of in go to both blocks of the cluster (multicast).
// shows: coalescing: Bulk copies move 8.00 KiB more for this block
#include <cuda.h>

__device__ unsigned address(const void* of) { return static_cast<unsigned>(__cvta_generic_to_shared(of)); }
__device__ void meet() { asm volatile("barrier.cluster.arrive.release.aligned;\nbarrier.cluster.wait.acquire.aligned;" ::: "memory"); }

__global__ void __cluster_dims__(2, 1, 1) shared_rows(const __grid_constant__ CUtensorMap in, float* sums) {
  __shared__ alignas(128) float rows[32][64];
  __shared__ alignas(8) unsigned long long full;
  const unsigned bar = address(&full), half = blockIdx.x % 2, pair = blockIdx.x / 2;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "n"(sizeof rows));
  }
  meet();
  if (threadIdx.x == 0)
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(address(rows[half * 16])), "l"(&in), "r"(0), "r"(pair * 32 + half * 16), "r"(bar), "h"(static_cast<unsigned short>(3)) : "memory");  //@load
  asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again; }" ::"r"(bar) : "memory");
  float sum = 0;
  for (int row = 0; row < 32; ++row) sum += rows[row][threadIdx.x];
  sums[blockIdx.x * 64 + threadIdx.x] = half == 0 ? sum : -sum;
  meet();
}
