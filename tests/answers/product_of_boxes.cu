// C = A * B^T of bf16: a producer warp loads boxes of A and B through tensor maps with a swizzle of
// 128 bytes into a ring; a warp group multiplies them by wgmma, and each of its warps releases a stage
// once the products that read it are done. One thread stores the tile of C through a tensor map.
// trace: --arch sm_90a --grid 2,2 --block 160 --shared 65536 --arg tensormap:bf16+box64x64+swizzle128[512x128]=random:1 --arg tensormap:bf16+box64x64+swizzle128[512x128]=random:2 --arg tensormap:f32+box64x64[128x128]=zero
// shows: pipeline: warps 0 to 3 only multiply them (consumers)
// shows: banks: wgmma reads a and b in a 128-byte swizzle by descriptors
// shows: tiling: boxes of 64 × 64 into shared memory and store boxes of 64 × 64
#include <cuda.h>
#ifndef STAGES
#define STAGES 3
#endif
constexpr int kTile = 64, kDepth = 64, kSteps = 8;
constexpr unsigned kBytes = kTile * kDepth * 2;

__device__ unsigned address(const void* of) { return static_cast<unsigned>(__cvta_generic_to_shared(of)); }
__device__ void wait(unsigned bar, unsigned parity) {
  asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], %1;\n@!p bra again; }" ::"r"(bar), "r"(parity) : "memory");
}
__device__ void arrive(unsigned bar) { asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory"); }
__device__ void load(unsigned to, const CUtensorMap& map, unsigned col, unsigned row, unsigned bar) {
  asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(to), "l"(&map), "r"(col), "r"(row), "r"(bar) : "memory");  //@load
}
// Rows of 128 bytes, swizzled as a whole; 1024 bytes to the next eight rows.
__device__ unsigned long long described(unsigned at) {
  return static_cast<unsigned long long>(at >> 4) | 1ull << 16 | 64ull << 32 | 1ull << 62;
}
#define SUMS(i) "+f"(sum[i]), "+f"(sum[i + 1]), "+f"(sum[i + 2]), "+f"(sum[i + 3]), "+f"(sum[i + 4]), "+f"(sum[i + 5]), "+f"(sum[i + 6]), "+f"(sum[i + 7])

__global__ void __launch_bounds__(160) product(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b, const __grid_constant__ CUtensorMap c) {
  extern __shared__ __align__(1024) char shared[];
  __shared__ alignas(8) unsigned long long full[STAGES], empty[STAGES];
  const unsigned ring = address(shared), result = ring + STAGES * 2 * kBytes;
  const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    for (int stage = 0; stage < STAGES; ++stage) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(address(&full[stage])));
      asm volatile("mbarrier.init.shared.b64 [%0], 4;" ::"r"(address(&empty[stage])));
    }
    asm volatile("fence.mbarrier_init.release.cluster;");
  }
  __syncthreads();
  if (warp == 4) {
    if (lane == 0) {
      for (int step = 0; step < kSteps; ++step) {
        const int stage = step % STAGES, lap = step / STAGES;
        if (lap > 0) wait(address(&empty[stage]), (lap - 1) & 1);  //@wait_empty
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address(&full[stage])), "n"(2 * kBytes));
        load(ring + stage * 2 * kBytes, a, step * kDepth, blockIdx.y * kTile, address(&full[stage]));
        load(ring + stage * 2 * kBytes + kBytes, b, step * kDepth, blockIdx.x * kTile, address(&full[stage]));
      }
    }
    return;
  }
  float sum[32] = {};
  for (int step = 0; step < kSteps; ++step) {
    const int stage = step % STAGES;
    wait(address(&full[stage]), (step / STAGES) & 1);  //@wait_full
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (unsigned k = 0; k < kDepth * 2; k += 32) {
      const unsigned long long left = described(ring + stage * 2 * kBytes + k), right = described(ring + stage * 2 * kBytes + kBytes + k);
      asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31}, %32, %33, 1, 1, 1, 0, 0;" : SUMS(0), SUMS(8), SUMS(16), SUMS(24) : "l"(left), "l"(right));  //@multiply
    }
    asm volatile("wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (step > 0 && lane == 0) arrive(address(&empty[(step - 1) % STAGES]));  //@release
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  float* tile = reinterpret_cast<float*>(shared + STAGES * 2 * kBytes);
  for (int j = 0; j < 8; ++j) {
    for (int half = 0; half < 2; ++half) {
      const unsigned row = warp * 16 + half * 8 + lane / 4, col = j * 8 + lane % 4 * 2;
      *reinterpret_cast<float2*>(tile + row * kTile + col) = make_float2(sum[j * 4 + half * 2], sum[j * 4 + half * 2 + 1]);  //@put
    }
  }
  asm volatile("fence.proxy.async.shared::cta;\nbar.sync 1, 128;" ::: "memory");
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&c), "r"(blockIdx.x * kTile), "r"(blockIdx.y * kTile), "r"(result) : "memory");  //@store
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}
