// Asynchronous copies, by tensor maps too: a launch each.
#include <cuda.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

#include "pairs.cuh"

__device__ inline void bar_arrive(uint64_t* b) {
  asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" ::"r"(s32(b)) : "memory");
}
__device__ inline void bulk_load(void* d, const void* s, int n, uint64_t* b) {
  asm volatile(
      "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::
          "r"(s32(d)),
      "l"(s), "r"(n), "r"(s32(b))
      : "memory");
}
__device__ inline void bulk_store(void* d, const void* s, int n) {
  asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;" ::"l"(d), "r"(s32(s)),
               "r"(n)
               : "memory");
}
__device__ inline void bulk_commit() { asm volatile("cp.async.bulk.commit_group;" ::: "memory"); }
template <int N>
__device__ inline void bulk_wait() {
  asm volatile("cp.async.bulk.wait_group %0;" ::"n"(N) : "memory");
}
template <int N>
__device__ inline void bulk_wait_read() {
  asm volatile("cp.async.bulk.wait_group.read %0;" ::"n"(N) : "memory");
}
__device__ inline void cp16(void* d, const void* s) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(s32(d)), "l"(s) : "memory");
}
__device__ inline void cp_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int N>
__device__ inline void cp_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
}

__global__ void ring_groups(const float* in, float* out) {
  __shared__ alignas(16) float st[3][256];
  const float* src = in + blockIdx.x * 1024;
  int t = threadIdx.x;
  float sum = 0;
  for (int s = 0; s < 2; ++s) {
    cp16(&st[s][4 * t], src + s * 256 + 4 * t);
    cp_commit();
  }
  for (int i = 0; i < 4; ++i) {
    cp_wait<1>();
    __syncthreads();
    for (int j = 0; j < 4; ++j) sum += st[i % 3][(4 * t + j + 4) % 256];
    if (i + 2 < 4) cp16(&st[(i + 2) % 3][4 * t], src + (i + 2) * 256 + 4 * t);
    cp_commit();
  }
  out[blockIdx.x * 64 + t] = sum;
}

__global__ void cp_nobarrier(const float* in, float* out) {
  __shared__ alignas(16) float st[512];
  int t = threadIdx.x;
  cp16(&st[4 * t], in + blockIdx.x * 512 + 4 * t);
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[blockIdx.x * 128 + t] = st[(t * 7) % 512];
}

__global__ void cp_refill(const float* in, float* out) {
  __shared__ alignas(16) float st[2][512];
  const float* src = in + blockIdx.x * 4096;
  int t = threadIdx.x;
  float sum = 0;
  cp16(&st[0][4 * t], src + 4 * t);
  cp_commit();
  for (int i = 0; i < 8; ++i) {
    if (i + 1 < 8) cp16(&st[(i + 1) & 1][4 * t], src + (i + 1) * 512 + 4 * t);
    cp_commit();
    cp_wait<1>();
    __syncthreads();
    for (int j = 0; j < 4; ++j) sum += st[i & 1][(j * 128 + t * 5) % 512];
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = sum;
}

__global__ void bulk_bytes(const float* in, float* out) {
  __shared__ alignas(128) float a[128], b[128];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  if (t == 0) {
    bar_init(&bar, 1);
    fence_async();
  }
  __syncthreads();
  if (t == 0) {
    bar_expect(&bar, 1024);
    bulk_load(a, in + blockIdx.x * 256, 512, &bar);
    bulk_load(b, in + blockIdx.x * 256 + 128, 512, &bar);
  }
  bar_wait(&bar, 0);
  out[blockIdx.x * 128 + t] = a[t] + b[t];
}

__global__ void bulk_parity(const float* in, float* out) {
  __shared__ alignas(128) float a[128];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  float s = 0;
  if (t == 0) {
    bar_init(&bar, 1);
    fence_async();
  }
  __syncthreads();
  for (int i = 0; i < 4; ++i) {
    if (t == 0) {
      bar_expect(&bar, 512);
      bulk_load(a, in + blockIdx.x * 512 + i * 128, 512, &bar);
    }
    bar_wait(&bar, i & 1);
    s += a[127 - t];
    __syncthreads();
  }
  out[blockIdx.x * 128 + t] = s;
}

__global__ void bulk_nofence(const float* in, float* out) {
  __shared__ alignas(128) float a[128];
  int t = threadIdx.x;
  a[t] = in[blockIdx.x * 128 + t] * 2;
  fence_async();
  __syncthreads();
  if (t == 0) {
    bulk_store(out + blockIdx.x * 128, a, 512);
    bulk_commit();
    bulk_wait<0>();
  }
}

__global__ void bulk_source(const float* in, float* out) {
  __shared__ alignas(128) float a[2][128];
  int t = threadIdx.x;
  for (int i = 0; i < 8; ++i) {
    int at = (blockIdx.x * 8 + i) * 128;
    a[i & 1][t] = in[at + t] + 1;
    fence_async();
    __syncthreads();
    if (t == 0) {
      bulk_store(out + at, a[i & 1], 512);
      bulk_commit();
      bulk_wait_read<1>();
    }
    __syncthreads();
  }
  if (t == 0) bulk_wait<0>();
}

__global__ void bulk_leave(const float* in, float* out) {
  __shared__ alignas(128) float a[128];
  int t = threadIdx.x;
  a[t] = in[blockIdx.x * 128 + t] * 3;
  fence_async();
  __syncthreads();
  if (t == 0) {
    bulk_store(out + blockIdx.x * 128, a, 512);
    bulk_commit();
    bulk_wait_read<0>();
  }
}

__global__ void tma3_edge(const __grid_constant__ CUtensorMap m, float* out) {
  __shared__ alignas(128) float a[128];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  if (t == 0) {
    bar_init(&bar, 1);
    fence_async();
  }
  __syncthreads();
  if (t == 0) {
    int bytes = 512;
    bar_expect(&bar, bytes);
    asm volatile(
        "cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3, %4}], [%5];" ::"r"(s32(a)),
        "l"(&m), "r"(blockIdx.x * 16), "r"(0), "r"(blockIdx.z * 2), "r"(s32(&bar))
        : "memory");
  }
  bar_wait(&bar, 0);
  out[(blockIdx.z * 4 + blockIdx.x) * 128 + t] = a[t];
}

__global__ void tma5_leave(const float* in, const __grid_constant__ CUtensorMap m) {
  __shared__ alignas(128) float a[64];
  int t = threadIdx.x;
  a[t] = in[blockIdx.x * 64 + t];
  fence_async();
  __syncthreads();
  if (t == 0) {
    asm volatile(
        "cp.async.bulk.tensor.5d.global.shared::cta.tile.bulk_group [%0, {%1, %1, %1, %1, %2}], "
        "[%3];" ::"l"(&m),
        "r"(0), "r"(blockIdx.x), "r"(s32(a))
        : "memory");
    bulk_commit();
    bulk_wait<0>();
  }
}

__global__ void tma_reduce(const float* in, const __grid_constant__ CUtensorMap m) {
  __shared__ alignas(128) float a[256];
  int t = threadIdx.x;
  a[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  fence_async();
  __syncthreads();
  if (t == 0) {
    asm volatile(
        "cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [%0, {%1, %1}], "
        "[%2];" ::"l"(&m),
        "r"(0), "r"(s32(a))
        : "memory");
    bulk_commit();
    bulk_wait<0>();
  }
}

__global__ void mbar_count(const float* in, float* out) {
  __shared__ float a[64];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  if (t == 0) bar_init(&bar, 64);
  __syncthreads();
  a[t] = in[blockIdx.x * 64 + t];
  bar_arrive(&bar);
  bar_wait(&bar, 0);
  out[blockIdx.x * 64 + t] = a[63 - t];
}

__global__ void mbar_uninit(const float* in, float* out) {
  __shared__ float a[64];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  if (t == 63) bar_init(&bar, 64);
  __syncthreads();
  a[t] = in[blockIdx.x * 64 + t];
  bar_arrive(&bar);
  bar_wait(&bar, 0);
  out[blockIdx.x * 64 + t] = a[63 - t];
}

__global__ void ring_free(const float* in, float* out) {
  __shared__ alignas(128) float st[2][128];
  __shared__ uint64_t full[2], free_[2];
  int t = threadIdx.x;
  if (t == 0) {
    for (int i = 0; i < 2; ++i) {
      bar_init(&full[i], 1);
      bar_init(&free_[i], 128);
    }
    fence_async();
  }
  __syncthreads();
  if (t >= 128) {
    if (t == 128)
      for (int i = 0; i < 16; ++i) {
        int s = i & 1, round = i >> 1;
        bar_wait(&free_[s], (round & 1) ^ 1);
        bar_expect(&full[s], 512);
        bulk_load(st[s], in + (blockIdx.x * 16 + i) * 128, 512, &full[s]);
      }
  } else {
    float sum = 0;
    for (int i = 0; i < 16; ++i) {
      int s = i & 1;
      bar_wait(&full[s], (i >> 1) & 1);
      sum += st[s][127 - t];
      bar_arrive(&free_[s]);
    }
    out[blockIdx.x * 128 + t] = sum;
  }
}

__global__ void bulk_over(const float* in, float* out) {
  __shared__ alignas(128) float a[128];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  a[t] = in[blockIdx.x * 128 + 127 - t];
  if (t == 0) bar_init(&bar, 1);
  fence_async();
  __syncthreads();
  float before = a[t];
  __syncthreads();
  if (t == 0) {
    bar_expect(&bar, 512);
    bulk_load(a, in + blockIdx.x * 128, 512, &bar);
  }
  bar_wait(&bar, 0);
  out[blockIdx.x * 128 + t] = a[t] + before;
}

__global__ void global_then_bulk(const float* in, float* tmp, float* out) {
  __shared__ alignas(128) float a[128];
  __shared__ uint64_t bar;
  int t = threadIdx.x;
  tmp[blockIdx.x * 128 + t] = in[blockIdx.x * 128 + t] * 2;
  if (t == 0) {
    bar_init(&bar, 1);
  }
  asm volatile("fence.proxy.async;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    bar_expect(&bar, 512);
    bulk_load(a, tmp + blockIdx.x * 128, 512, &bar);
  }
  bar_wait(&bar, 0);
  out[blockIdx.x * 128 + t] = a[127 - t];
}
