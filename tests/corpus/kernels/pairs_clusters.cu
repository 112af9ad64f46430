// Blocks of a cluster that read, write and copy each other's shared memory: a launch each.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "pairs.cuh"

__device__ inline void fence_init() {
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
}
__device__ inline void cluster_arrive() {
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}
__device__ inline void cluster_wait() {
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}
__device__ inline unsigned cluster_rank() {
  unsigned r;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(r));
  return r;
}
__device__ inline unsigned map_rank(const void* p, unsigned r) {
  unsigned o;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(o) : "r"(s32(p)), "r"(r));
  return o;
}
__device__ inline float ld_remote(unsigned a) {
  float v;
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(v) : "r"(a) : "memory");
  return v;
}
__device__ inline void st_remote(unsigned a, float v) {
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(a), "f"(v) : "memory");
}

__global__ __cluster_dims__(2) void multicast(const __grid_constant__ CUtensorMap m, float* out) {
  __shared__ alignas(128) float a[256];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  unsigned r = cluster_rank();
  if (t == 0) {
    bar_init(&bar, 1);
    fence_init();
  }
  cluster_arrive();
  cluster_wait();
  if (t == 0) {
    bar_expect(&bar, 1024);
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes."
        "multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(s32(a + r * 128)),
        "l"(&m), "r"(0), "r"((int)(blockIdx.x / 2 * 8 + r * 4)), "r"(s32(&bar)),
        "h"((unsigned short)3)
        : "memory");
  }
  bar_wait(&bar, 0);
  out[blockIdx.x * 256 + t] = a[t];
  out[blockIdx.x * 256 + 128 + t] = a[t + 128];
  cluster_arrive();
  cluster_wait();
}

__global__ __cluster_dims__(2) void dsmem_exit(const float* in, float* out) {
  __shared__ float a[64];
  int t = threadIdx.x;
  int i = blockIdx.x * 64 + t;
  a[t] = in[i];
  cluster_arrive();
  cluster_wait();
  out[i] = ld_remote(map_rank(&a[63 - t], cluster_rank() ^ 1));
  cluster_arrive();
  cluster_wait();
}

__global__ __cluster_dims__(4) void dsmem_halo(const float* in, float* out) {
  __shared__ float a[66];
  int t = threadIdx.x;
  int i = blockIdx.x * 64 + t;
  unsigned r = cluster_rank();
  a[t + 1] = in[i];
  if (t == 0) {
    if (r == 0) a[0] = 0;
    if (r == 3) a[65] = 0;
  }
  cluster_arrive();
  cluster_wait();
  if (t == 0 && r > 0) st_remote(map_rank(&a[65], r - 1), in[i]);
  if (t == 63 && r < 3) st_remote(map_rank(&a[0], r + 1), in[i]);
  cluster_arrive();
  cluster_wait();
  out[i] = a[t] + a[t + 1] + a[t + 2];
}

__global__ __cluster_dims__(2) void st_async(const float* in, float* out) {
  __shared__ float a[32];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  unsigned o = cluster_rank() ^ 1;
  if (t == 0) {
    bar_init(&bar, 1);
    fence_init();
    bar_expect(&bar, 128);
  }
  cluster_arrive();
  cluster_wait();
  asm volatile(
      "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [%0], %1, [%2];" ::"r"(
          map_rank(&a[t], o)),
      "r"(__float_as_int(in[blockIdx.x * 32 + t])), "r"(map_rank(&bar, o))
      : "memory");
  bar_wait(&bar, 0);
  out[blockIdx.x * 32 + t] = a[31 - t];
}

__global__ __cluster_dims__(2) void cluster_copy(const float* in, float* out) {
  __shared__ alignas(128) float a[64], b[64];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  unsigned o = cluster_rank() ^ 1;
  a[t] = in[blockIdx.x * 64 + t];
  if (t == 0) {
    bar_init(&bar, 1);
    fence_init();
    bar_expect(&bar, 256);
  }
  fence_async();
  cluster_arrive();
  cluster_wait();
  if (t == 0)
    asm volatile(
        "cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, "
        "[%2];" ::"r"(map_rank(b, o)),
        "r"(s32(a)), "r"(map_rank(&bar, o))
        : "memory");
  bar_wait(&bar, 0);
  out[blockIdx.x * 64 + t] = b[63 - t];
  cluster_arrive();
  cluster_wait();
}
