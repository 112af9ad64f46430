#include <cuda_bf16.h>
#include <cuda_fp16.h>
// Every atomic, with the value used and not used, to global and shared, few and many addresses.
#define ID (blockIdx.x * blockDim.x + threadIdx.x)

__global__ void reductions(const int* in, int* s, unsigned* u, unsigned long long* w, float* f,
                           double* d) {
  int i = ID, v = in[i];
  atomicAdd(s + (i & 7), v & 3);
  atomicSub(s + 8 + (i % 5), 1);
  atomicMin(s + 16, v);
  atomicMax(s + 17 + (i & 1), v);
  atomicMin(u, (unsigned)v);
  atomicMax(u + 1, (unsigned)v);
  atomicAnd(u + 2, v | 0xff);
  atomicOr(u + 3, v & 0xff00);
  atomicXor(u + 4 + (v & 3), v);
  atomicInc(u + 8, 1000);
  atomicDec(u + 9, 77);
  atomicAdd(w, (unsigned long long)(v & 15));
  atomicMax(w + 1, (unsigned long long)v * 3);
  atomicMin(w + 2 + (i & 3), (unsigned long long)i);
  atomicMax((long long*)w + 6, (long long)v * v);
  atomicMin((long long*)w + 7, (long long)v);
  atomicAnd(w + 8, ~0ull ^ v);
  atomicOr(w + 9, 1ull << (v & 63));
  atomicXor(w + 10, 1ull << (v & 31));
  atomicAdd(f + (i & 15), 1.f);
  atomicAdd(d + (i % 3), 0.5);
}

__global__ void fetches(const int* in, int* s, unsigned long long* w, float* f, double* d,
                        int* out) {
  int i = ID, r = 0;
  r += atomicAdd(s + i % 96, in[i]);
  r += atomicExch(s + 96 + i % 64, i);
  r += atomicCAS(s + 160 + (i & 63), 0, i);
  r += (int)atomicAdd(w + (i & 31), 3ull);
  r += (int)atomicExch(w + 32 + (i & 31), (unsigned long long)i);
  r += (int)atomicCAS(w + 64 + (i & 15), 0ull, (unsigned long long)i);
  r += (int)atomicAdd(f + i % 40, 2.f);
  r += (int)atomicExch(f + 40 + i % 3, 1.f);
  r += (int)atomicAdd(d + i % 10, 1.0);
  r += (int)atomicMax(w + 100, (unsigned long long)in[i]);
  r += (int)atomicInc((unsigned*)s + 250, 5);
  out[i] = r & 0;
}

__global__ void halves(const float* in, __half* h, __half2* h2, __nv_bfloat16* b,
                       __nv_bfloat162* b2) {
  int i = ID;
  float v = in[i];
  atomicAdd(h + (i & 3), __float2half(v));
  atomicAdd(h2 + i % 7, __floats2half2_rn(v, 1.f));
  atomicAdd(b + 2 * (i & 1) + 1, __float2bfloat16(v));
  atomicAdd(b2 + (i >> 4), __floats2bfloat162_rn(v, -v));
}

__global__ void shared_all(const int* in, int* out) {
  __shared__ int s[64];
  __shared__ unsigned long long w[16];
  __shared__ float f[8];
  __shared__ double d[4];
  int t = threadIdx.x, v = in[ID];
  for (int k = t; k < 64; k += blockDim.x) s[k] = 0;
  if (t < 16) w[t] = 0;
  if (t < 8) f[t] = 0;
  if (t < 4) d[t] = 0;
  __syncthreads();
  atomicAdd(s + (v & 31), 1);
  atomicMax(s + 32 + (t & 7), v);
  atomicXor((unsigned*)s + 40 + (t & 3), (unsigned)v);
  atomicInc((unsigned*)s + 50, 63);
  atomicAdd(w + (t & 7), (unsigned long long)v);
  atomicOr((unsigned*)s + 60, 1u << (t & 31));
  __syncthreads();
  int r = s[t & 63] + (int)w[t & 15];
  __syncthreads();
  if (t < 96) r += atomicExch(s + (t & 63), 0);
  out[ID] = r & 0xff;
}

// float maximum with integer atomics
__global__ void float_max(const float* in, float* out, int n) {
  __shared__ float top;
  if (threadIdx.x == 0) top = -1e30f;
  __syncthreads();
  for (int i = ID; i < n; i += gridDim.x * blockDim.x) {
    float v = in[i];
    if (v >= 0)
      atomicMax((int*)&top, __float_as_int(v));
    else
      atomicMin((unsigned*)&top, __float_as_uint(v));
  }
  __syncthreads();
  if (threadIdx.x == 0) out[blockIdx.x] = top;
}

// hand-written CAS loop, one lane per address, so that it never repeats
__global__ void cas_multiply(const float* in, float* data) {
  int i = ID;
  unsigned* p = (unsigned*)data + i;
  unsigned old = *p, assumed;
  do {
    assumed = old;
    old = atomicCAS(p, assumed, __float_as_uint(__uint_as_float(assumed) * in[i]));
  } while (assumed != old);
}

__global__ void cas16(unsigned short* data, const unsigned* in) {
  int i = ID;
  unsigned short was = atomicCAS(data + i, (unsigned short)0, (unsigned short)in[i]);
  if (was) data[i] = was + 1;
}

__global__ void scopes(const unsigned* in, unsigned* out, unsigned* sys) {
  int i = ID;
  atomicAdd_block(out + 32 * blockIdx.x + (in[i] & 7), 1u);
  atomicAdd_system(sys + (i & 3), 2u);
  atomicMax_block(out + 32 * blockIdx.x + 8 + (i & 15), in[i]);
  __threadfence();
  __threadfence_block();
  __threadfence_system();
  unsigned x = *(volatile unsigned*)(out + 31 + 32 * blockIdx.x);
  if (x == 12345) out[30 + 32 * blockIdx.x] = 1;
}

__global__ void warp_aggregated(const unsigned* in, unsigned* count, unsigned* out, int n) {
  int i = ID;
  bool keep = i < n && in[i] % 3 == 0;
  unsigned m = __ballot_sync(~0u, keep);
  int lane = threadIdx.x & 31, leader = __ffs(m) - 1;
  unsigned base = 0;
  if (m) {
    if (lane == leader) base = atomicAdd(count, __popc(m));
    base = __shfl_sync(~0u, base, leader);
  }
  if (keep) out[base + __popc(m & ((1u << lane) - 1))] = in[i];
}

__global__ void match_histogram(const unsigned char* in, unsigned* bins, int n) {
  __shared__ unsigned local[128];
  for (int i = threadIdx.x; i < 128; i += blockDim.x) local[i] = 0;
  __syncthreads();
  for (int i = ID; i < n; i += gridDim.x * blockDim.x) {
    unsigned k = in[i] & 127, peers = __match_any_sync(__activemask(), k);
    if ((threadIdx.x & 31) == __ffs(peers) - 1) atomicAdd(local + k, __popc(peers));
  }
  __syncthreads();
  for (int i = threadIdx.x; i < 128; i += blockDim.x)
    if (local[i]) atomicAdd(bins + i, local[i]);
}
