// A transpose whose global traffic is tensor copies alone: a box of 32 x 32 is loaded through one
// map, transposed in shared memory by the threads, and stored through another. The load's box has a
// swizzle of 128 bytes, so that reading 16 bytes of each row of a column has no bank conflicts.
// trace: --arch sm_90a --grid 4,2 --block 256 --arg tensormap:f32+box32x32+swizzle128[128x64]=iota --arg tensormap:f32+box32x32[64x128]=zero
// shows: tiling: Tensor copies (TMA) load boxes of 32 × 32 into shared memory and store
// shows: banks: 128-byte swizzle
// shows: coalescing: 128 sectors of 32 B, the minimum
#include <cuda.h>

__device__ unsigned address(const void* of) { return static_cast<unsigned>(__cvta_generic_to_shared(of)); }

__global__ void transpose_boxes(const __grid_constant__ CUtensorMap in, const __grid_constant__ CUtensorMap out) {
  __shared__ alignas(1024) float tile[32][32];
  __shared__ alignas(128) float turned[32][32];
  __shared__ alignas(8) unsigned long long full;
  const unsigned bar = address(&full);
  const unsigned col = blockIdx.x * 32, row = blockIdx.y * 32;
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(bar));
    asm volatile("fence.mbarrier_init.release.cluster;");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "n"(sizeof tile));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(address(tile)), "l"(&in), "r"(col), "r"(row), "r"(bar) : "memory");  //@load
  }
  __syncthreads();
  asm volatile("{ .reg .pred p;\nagain: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;\n@!p bra again; }" ::"r"(bar) : "memory");
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const float4 four = *reinterpret_cast<const float4*>(&tile[lane][(warp ^ lane % 8) * 4]);  //@take
  turned[warp * 4][lane] = four.x;  //@put
  turned[warp * 4 + 1][lane] = four.y;
  turned[warp * 4 + 2][lane] = four.z;
  turned[warp * 4 + 3][lane] = four.w;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (threadIdx.x == 0) {
    asm volatile("cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&out), "r"(row), "r"(col), "r"(address(turned)) : "memory");  //@store
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group.read 0;" ::: "memory");
  }
}
