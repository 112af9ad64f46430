// What the files pairs_*.cu share: mbarriers, and the fence before the asynchronous proxy.
#pragma once
#include <stdint.h>

__device__ inline unsigned s32(const void* p) { return (unsigned)__cvta_generic_to_shared(p); }
__device__ inline void bar_init(uint64_t* b, int n) {
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;" ::"r"(s32(b)), "r"(n) : "memory");
}
__device__ inline void bar_expect(uint64_t* b, int n) {
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(s32(b)), "r"(n)
               : "memory");
}
__device__ inline void bar_wait(uint64_t* b, int parity) {
  asm volatile(
      "{\n.reg .pred p;\nW:\nmbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1;\n@p bra D;\nbra "
      "W;\nD:\n}" ::"r"(s32(b)),
      "r"(parity)
      : "memory");
}
__device__ inline void fence_async() {
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
}
