// Products of warp groups: a launch each.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "pairs.cuh"

__device__ inline void wg_fence() { asm volatile("wgmma.fence.sync.aligned;" ::: "memory"); }
__device__ inline void wg_commit() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int N>
__device__ inline void wg_wait() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(N) : "memory");
}
__device__ inline uint64_t desc(const void* p, int lead, int stride) {
  uint64_t a = s32(p);
  return ((a & 0x3ffff) >> 4) | ((uint64_t)(lead >> 4) << 16) | ((uint64_t)(stride >> 4) << 32);
}
__device__ inline void mma16(float* d, uint64_t a, uint64_t b) {
  asm volatile(
      "wgmma.mma_async.sync.aligned.m64n16k16.f32.bf16.bf16 {%0,%1,%2,%3,%4,%5,%6,%7}, %8, %9, 1, "
      "1, 1, 0, 0;"
      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]), "+f"(d[4]), "+f"(d[5]), "+f"(d[6]),
        "+f"(d[7])
      : "l"(a), "l"(b));
}

__global__ void wgmma_early(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C) {
  __shared__ alignas(128) __nv_bfloat16 a[1024], b[256];
  int t = threadIdx.x;
  for (int i = t; i < 1024; i += 128) a[i] = A[i];
  for (int i = t; i < 256; i += 128) b[i] = B[i];
  fence_async();
  __syncthreads();
  float d[8] = {};
  wg_fence();
  mma16(d, desc(a, 128, 256), desc(b, 128, 256));
  wg_commit();
  wg_wait<0>();
  for (int i = 0; i < 8; ++i) C[t * 8 + i] = d[i];
}

__global__ void wgmma_refill(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C) {
  __shared__ alignas(128) __nv_bfloat16 a[2][1024], b[256];
  int t = threadIdx.x;
  for (int i = t; i < 256; i += 128) b[i] = B[i];
  float d[8] = {};
  for (int s = 0; s < 4; ++s) {
    for (int i = t; i < 1024; i += 128) a[s & 1][i] = A[s * 1024 + i];
    fence_async();
    __syncthreads();
    wg_fence();
    mma16(d, desc(a[s & 1], 128, 256), desc(b, 128, 256));
    wg_commit();
    wg_wait<1>();
    __syncthreads();
  }
  wg_wait<0>();
  for (int i = 0; i < 8; ++i) C[t * 8 + i] = d[i];
}

__global__ void wgmma_desc(const __nv_bfloat16* A, const __nv_bfloat16* B, float* C) {
  extern __shared__ __align__(128) __nv_bfloat16 sh[];
  __nv_bfloat16 *a = sh, *b = sh + 1024;
  int t = threadIdx.x;
  for (int i = t; i < 1024; i += 128) a[i] = A[i];
  for (int i = t; i < 256; i += 128) b[i] = B[i];
  fence_async();
  __syncthreads();
  float d[8] = {};
  wg_fence();
  mma16(d, desc(a, 128, 256), desc(b, 128, 256));
  wg_commit();
  wg_wait<0>();
  for (int i = 0; i < 8; ++i) C[t * 8 + i] = d[i];
}
