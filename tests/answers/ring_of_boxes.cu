// A ring that a producer warp fills by tensor copies: it waits until a stage is empty and loads the
// next box of rows; four consumer warps wait until it is full, add its elements up by column, and
// arrive at its empty barrier.
// trace: --arch sm_90a --grid 4 --block 160 --arg tensormap:f32+box32x16[128x256]=iota --arg f32[128]=zero
// shows: pipeline: Warp 4 only loads tiles (producer), warps 0 to 3 only use them (consumers)
// shows: pipeline: 3 stages of 2.00 KiB
// shows: tiling: boxes of 16 × 32
// shows: coalescing: Bulk copies move 32.0 KiB more for this block
#include <cuda.h>
#ifndef STAGES
#define STAGES 3
#endif
constexpr int kRows = 16, kBoxes = 16, kConsumers = 4;

__device__ unsigned address(const void* of) { return static_cast<unsigned>(__cvta_generic_to_shared(of)); }
__device__ void wait(unsigned bar, unsigned parity) {
  asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again; }" ::"r"(bar), "r"(parity) : "memory");
}

__global__ void column_sums(const __grid_constant__ CUtensorMap in, float* sums) {
  __shared__ alignas(128) float ring[STAGES][kRows][32];
  __shared__ alignas(8) unsigned long long full[STAGES], empty[STAGES];
  __shared__ float partial[kConsumers][32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&full[stage])));
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address(&empty[stage])), "n"(kConsumers));
    }
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (warp == kConsumers) {
    if (lane == 0) {
      for (int box = 0; box < kBoxes; ++box) {
        const int stage = box % STAGES, lap = box / STAGES;
        if (lap > 0) wait(address(&empty[stage]), (lap - 1) & 1);  //@wait_empty
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(&full[stage])), "n"(sizeof ring[0]));
        asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(address(ring[stage])), "l"(&in), "r"(blockIdx.x * 32), "r"(box * kRows), "r"(address(&full[stage])) : "memory");  //@load
      }
    }
  } else {
    float sum = 0;
    for (int box = 0; box < kBoxes; ++box) {
      const int stage = box % STAGES;
      wait(address(&full[stage]), (box / STAGES) & 1);  //@wait_full
      for (int row = static_cast<int>(warp); row < kRows; row += kConsumers) sum += ring[stage][row][lane];  //@add
      __syncwarp();
      if (lane == 0) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address(&empty[stage])) : "memory");  //@release
    }
    partial[warp][lane] = sum;
  }
  __syncthreads();
  if (warp == 0) sums[blockIdx.x * 32 + lane] = partial[0][lane] + partial[1][lane] + partial[2][lane] + partial[3][lane];
}
