// A warp group writes its left operand to shared memory with plain stores, then multiplies. The product
// reads the whole operand, also what the other three warps have written: a barrier of the 128 threads
// is needed, and a proxy fence in each of them, as wgmma reads past the path of ordinary stores.
// trace: --arch sm_90 --grid 1 --block 128 --arg f32[1024]=random:1 --arg f16[128]=random:2 --arg f32[512]=zero
// trace 1: -D NOTHING
// mutant 1: shared_race at product (neither barrier nor fence)
// trace 2: -D BARRIER_ALONE
// mutant 2: shared_race at product (a barrier, but no proxy fence)
// says 2: fence.proxy.async
#include <cuda_fp16.h>

__device__ unsigned long long describe(const void* p, unsigned next_column, unsigned next_row) {
  const unsigned long long at = static_cast<unsigned>(__cvta_generic_to_shared(p));
  return at >> 4 | static_cast<unsigned long long>(next_column >> 4) << 16 |
         static_cast<unsigned long long>(next_row >> 4) << 32;
}

__global__ void __launch_bounds__(128) gated(const float* gates, const half* values, float* out) {
  __shared__ alignas(128) half left[64 * 16];  // core matrices of 8 x 8
  __shared__ alignas(128) half right[8 * 16];
  const int t = threadIdx.x;
  right[t] = values[t];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  for (int i = t; i < 64 * 16; i += 128) {
    const int row = i / 16, k = i % 16;
    left[(row / 8 * 2 + k / 8) * 64 + row % 8 * 8 + k % 8] = __float2half(gates[i] * gates[i]);
  }
#if !defined(NOTHING) && !defined(BARRIER_ALONE)
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
#ifndef NOTHING
  __syncthreads();
#endif
  float d[4] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
      : "l"(describe(left, 128, 256)), "l"(describe(right, 128, 128)));  //@product
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  for (int i = 0; i < 4; ++i) out[t * 4 + i] = d[i];
}
