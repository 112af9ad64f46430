// Products of a warp group whose sums and whose A lie in registers: a fence stands between what the
// threads write there and the products; products of one shape that follow each other need none.
// trace: --arch sm_90a --grid 1 --block 128 --arg f32[512]=iota --arg u32[1024]=zero --arg bf16[128]=random:2 --arg f32[512]=zero
// mutant 1: cp_async at first (no fence at all)
// says 1: with no fence between the write and the product: put wgmma.fence.sync.aligned before the first wgmma
// mutant 2: cp_async at third (the sums are scaled and no fence follows)
// mutant 3: cp_async at third (A is loaded again and no fence follows)
// mutant 4: cp_async at first (the fence comes before the sums are loaded)
// mutant 5: cp_async at first (no fence, and nothing but numbers in the registers)
// says 5: is the first product of its warp group
#ifndef MUTANT
#define MUTANT 0
#endif
#include <cuda_bf16.h>

__device__ unsigned long long describe(const void* tile) {
  const auto place = static_cast<unsigned>(__cvta_generic_to_shared(tile));
  return (place & 0x3ffff) >> 4 | 8ull << 16 | 16ull << 32;
}
__device__ void multiply(float (&d)[4], const unsigned (&a)[4], unsigned long long b) {
  asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.bf16.bf16 {%0,%1,%2,%3}, {%4,%5,%6,%7}, %8, 1, 1, 1, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "l"(b));
}
__device__ void fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ void finish() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
}

__global__ void products(const float* start, const unsigned* left, const __nv_bfloat16* right,
                         float* c) {
  __shared__ alignas(128) __nv_bfloat16 tile[128];
  const int t = threadIdx.x;
  tile[t] = right[t];
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  float d[4];
  unsigned a[4];
#if MUTANT == 4
  fence();
#endif
  for (int i = 0; i < 4; ++i) {
#if MUTANT == 5
    d[i] = 0.0f;
    a[i] = 0x3f803f80u;
#else
    d[i] = start[i * 128 + t];
    a[i] = left[i * 128 + t];
#endif
  }
#if MUTANT != 1 && MUTANT != 4 && MUTANT != 5
  fence();
#endif
  multiply(d, a, describe(tile));  //@first
  multiply(d, a, describe(tile));
  finish();
#if MUTANT != 5
  for (int i = 0; i < 4; ++i) {
#if MUTANT != 3
    d[i] *= 0.5f;
#endif
#if MUTANT != 2
    a[i] = left[512 + i * 128 + t];
#endif
  }
#if MUTANT != 2 && MUTANT != 3
  fence();
#endif
#endif
  multiply(d, a, describe(tile));  //@third
  finish();
  for (int i = 0; i < 4; ++i) c[i * 128 + t] = d[i];
}
