// Two products of a warp group, each with sums of its own: the first's are scaled while the second
// is under way.
// trace: --arch sm_90a --grid 1 --block 128 --arg bf16[1024]=random:1 --arg bf16[256]=random:2 --arg f32[1024]=zero
// mutant 1: cp_async at scale (both products may be under way)
// says 1: before it is complete: commit it and wait for its group
// mutant 2: cp_async at store (the second one is never waited for)
// mutant 3: cp_async at scale,store (the second is not committed, so that the wait is for nothing)
#ifndef MUTANT
#define MUTANT 0
#endif
#include <cuda_bf16.h>

__device__ unsigned long long describe(const void* tile) {
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  return (place & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32;
}
__device__ void multiply(float (&d)[8], unsigned long long a, unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]), "+f"(d[7]) : "l"(a), "l"(b));
}
__device__ void commit() { asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"); }
template <int Newest>
__device__ void wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Newest) : "memory");
}

__global__ void products(const __nv_bfloat16* a, const __nv_bfloat16* b, float* c) {
  __shared__ alignas(128) __nv_bfloat16 left[1024];
  __shared__ alignas(128) __nv_bfloat16 right[256];
  const int t = threadIdx.x;
  for (int i = t; i < 1024; i += 128) left[i] = a[i];
  for (int i = t; i < 256; i += 128) right[i] = b[i];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float first[8] = {}, second[8] = {};
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
  multiply(first, describe(left), describe(right));
#if MUTANT != 3
  commit();
#endif
  multiply(second, describe(left), describe(right));
  commit();
#if MUTANT == 1
  wait<2>();
#else
  wait<1>();
#endif
  for (int k = 0; k < 8; ++k) c[t * 8 + k] = first[k] * 2.0f;  //@scale
#if MUTANT != 2 && MUTANT != 3
  wait<0>();
#endif
  for (int k = 0; k < 8; ++k) c[t * 8 + k] += second[k];  //@store
}
