// Lanes, barriers, atomics, flags and bounds: a launch each.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <stdint.h>

__global__ void shfl_diverged(const float* in, float* out, int n) {
  int i = blockIdx.x * 64 + threadIdx.x;
  float v = i < n ? in[i] : 0;
  for (int o = 16; o; o /= 2) v += __shfl_down_sync(0xffffffffu, v, o);
  if (i < n) out[i] = v;
}

__global__ void shfl_lane(const float* in, float* out) {
  int t = threadIdx.x;
  float v = in[t];
  if (t < 16) {
    out[t] = __shfl_sync(0xffffu, v, t ^ 3);
  } else
    out[t] = v;
}

__global__ void activemask(const int* in, int* out) {
  int t = threadIdx.x;
  int v = in[t] & 63;
  if (v > 20) {
    unsigned m = __match_any_sync(__activemask(), 1);
    out[t] = __popc(m & ((1u << (t & 31)) - 1));
  }
}

__global__ void named_count(const float* in, float* out) {
  __shared__ float a[128];
  int t = threadIdx.x, w = t / 64;
  a[t] = in[blockIdx.x * 128 + t];
  asm volatile("bar.sync %0, 64;" ::"r"(w + 1) : "memory");
  out[blockIdx.x * 128 + t] = a[w * 64 + 63 - t % 64];
}

__global__ void named_handoff(const float* in, float* out) {
  __shared__ float a[32];
  int t = threadIdx.x, l = t % 32;
  float s = 0;
  for (int i = 0; i < 8; ++i) {
    if (t < 32) {
      if (i) asm volatile("bar.sync 2, 64;" ::: "memory");
      a[l] = in[blockIdx.x * 256 + i * 32 + l];
      __threadfence_block();
      asm volatile("bar.arrive 1, 64;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 64;" ::: "memory");
      s += a[31 - l];
      if (i < 7) asm volatile("bar.arrive 2, 64;" ::: "memory");
    }
  }
  if (t >= 32) out[blockIdx.x * 32 + l] = s;
}

__global__ void hist_lost(const int* in, int* out) {
  __shared__ int h[16];
  int t = threadIdx.x;
  if (t < 16) h[t] = 0;
  __syncthreads();
  int v = in[blockIdx.x * 128 + t] & 15;
  atomicAdd(&h[v], 1);
  __syncthreads();
  if (t < 16) atomicAdd(&out[t], h[t]);
}

__global__ void last_block(const float* in, float* part, unsigned* count, float* out) {
  __shared__ float a[64];
  __shared__ bool last;
  int t = threadIdx.x;
  a[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  for (int o = 32; o; o /= 2) {
    if (t < o) a[t] += a[t + o];
    __syncthreads();
  }
  if (t == 0) {
    part[blockIdx.x] = a[0];
    __threadfence();
    last = atomicAdd(count, 1) == gridDim.x - 1;
    __threadfence();
  }
  __syncthreads();
  if (last && t == 0) {
    float s = 0;
    for (int i = 0; i < 8; ++i) s += part[i];
    out[0] = s;
  }
}

__global__ void index_wrap(const float* in, int ld, int first, float* out) {
  int t = threadIdx.x;
  long long at = (long long)(first + blockIdx.x) * ld + t;
  if (at >= 1024) at = t;
  out[blockIdx.x * 64 + t] = in[at];
}

__global__ void shared_next(const float* in, float* out) {
  __shared__ float a[64];
  __shared__ float b[64];
  int t = threadIdx.x;
  b[t] = -in[t];
  a[t] = in[t];
  __syncthreads();
  float r = a[t < 63 ? t + 1 : 63];
  out[t] = r + b[63 - t];
}

__global__ void halo_unset(const float* in, float* out, int n) {
  __shared__ float a[66];
  int t = threadIdx.x, i = blockIdx.x * 64 + t;
  a[t + 1] = in[i];
  if (t == 0) a[0] = i > 0 ? in[i - 1] : 0;
  if (t == 63) a[65] = i + 1 < n ? in[i + 1] : 0;
  __syncthreads();
  out[i] = a[t] + a[t + 1] + a[t + 2];
}

__global__ void no_syncwarp(const float* in, float* out) {
  __shared__ float a[2][32];
  int t = threadIdx.x, l = t % 32, w = t / 32;
  a[w][l] = in[blockIdx.x * 64 + t];
  __syncwarp();
  out[blockIdx.x * 64 + t] = a[w][l ^ 1];
}

__global__ void ldg_written(const float* in, float* tmp, float* out) {
  int t = threadIdx.x;
  tmp[t] = in[t] + 1;
  __syncthreads();
  out[t] = tmp[63 - t];
}

__global__ void misaligned(const float* in, float* out) {
  int t = threadIdx.x;
  const float* p = in + 4;
  float4 v = reinterpret_cast<const float4*>(p)[t];
  reinterpret_cast<float4*>(out)[t] = v;
}

__global__ void spin_lock(int* lock, float* total, const float* in) {
  if (threadIdx.x == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *total += in[blockIdx.x];
    __threadfence();
    atomicExch(lock, 0);
  }
}

__global__ void local_bounds(const float* in, const int* at, float* out) {
  float r[8];
  int t = threadIdx.x;
  for (int i = 0; i < 8; ++i) r[i] = in[i * 32 + t];
  out[t] = r[at[t] & 7];
}

__global__ void sync_in_loop(const float* in, float* out, int n) {
  __shared__ float a[128];
  int t = threadIdx.x;
  a[t] = in[blockIdx.x * 128 + t];
  __syncthreads();
  if (t < n) out[blockIdx.x * 128 + t] = a[n - 1 - t];
}

__global__ void dynamic_small(const float* in, float* out) {
  extern __shared__ float a[];
  int t = threadIdx.x;
  a[t] = in[t];
  __syncthreads();
  out[t] = a[63 - t];
}

__global__ void col_overrun(const float* in, float* out, int n) {
  __shared__ float a[16][17];
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < n && y < n) a[threadIdx.y][threadIdx.x] = in[y * n + x];
  __syncthreads();
  int ox = blockIdx.y * 16 + threadIdx.x, oy = blockIdx.x * 16 + threadIdx.y;
  if (ox < n && oy < n) out[oy * n + ox] = a[threadIdx.x][threadIdx.y];
}
