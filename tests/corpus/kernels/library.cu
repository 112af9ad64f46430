// What the compiler calls or makes for functions of the language and of the toolkit.
#include <cuda_fp8.h>
#define KERNEL extern "C" __global__

__constant__ unsigned char kBytes[256] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9, 3};
__constant__ short kHalves[64] = {-1, 2, -3, 4, -5, 6, -7, 8};

KERNEL void prints_rarely(const int* in, int* out, int limit) {
  const int v = in[threadIdx.x];
  if (v > limit) printf("%d\n", v);
  out[threadIdx.x] = v + 1;
}

KERNEL void byte_differences(const unsigned* a, const unsigned* b, unsigned* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __vabsdiffu4(a[i], b[i]) + __vsadu4(a[i], b[i]) + __usad(a[i], b[i], 7);
}

KERNEL void byte_floats(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const __nv_fp8x2_e4m3 packed(make_float2(in[2 * i], in[2 * i + 1]));
  const float2 back = (float2)packed;
  out[2 * i] = back.x;
  out[2 * i + 1] = back.y;
}

KERNEL void constant_tables(const int* in, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = kBytes[in[i] & 15] + kHalves[in[i] & 7] + kBytes[blockIdx.x & 15];
}

KERNEL void angles(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = __sinf(in[i]) * cosf(in[i]) + tanhf(in[i]);
}

// An atomic through an address that may be of either memory.
KERNEL void generic_atomics(int* data, int k) {
  __shared__ int s[64];
  const int t = threadIdx.x;
  s[t % 64] = 0;
  __syncthreads();
  int* volatile chosen = t / 32 == k ? data : s;
  int* const p = chosen;
  atomicAdd(p + t % 32, t);
  __syncthreads();
  if (t < 32) data[64 + t] = s[t];
}
