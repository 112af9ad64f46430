// Forms of machine code that few kernels have: packed and three-way integer arithmetic, clamped
// packing, signs as predicates, constants in the unit for reciprocals, tables of odd size, vectors
// and 128 bits of atomics, arithmetic on 128 bits, and reads past the end of what is used.

__global__ void three_way_s32(const int* in, int* out) {
  const int t = threadIdx.x;
  out[t] = max(max(in[t], in[t + 32]), in[t + 64]) - min(min(in[t], in[t + 32]), in[t + 64]) / 3;
}
__global__ void three_way_u32(const unsigned* in, unsigned* out) {
  const int t = threadIdx.x;
  out[t] = min(min(in[t], in[t + 32]), in[t + 64]) ^ max(max(in[t], in[t + 32]), in[t + 64]);
}
__global__ void relu(const int* in, int* out) {
  const int t = threadIdx.x;
  out[t] = __vimax3_s32_relu(in[t], in[t + 32], in[t + 64]) / 2 + __vimax_s32_relu(in[t], in[t + 32]) / 2;
}
__global__ void halves(const unsigned* in, unsigned* out) {
  const int t = threadIdx.x;
  unsigned x = __vadd2(in[t], in[t + 32]);
  x = __vsub2(x, in[t + 64]);
  x ^= __vmaxs2(x, in[t]);
  out[t] = __vminu2(x, __vadd2(in[t + 32], x));
}
__global__ void saturated(const int* in, int* out) {
  const int t = threadIdx.x;
  int sum, difference;
  asm("add.sat.s32 %0, %1, %2;" : "=r"(sum) : "r"(in[t]), "r"(in[t + 32]));
  asm("sub.sat.s32 %0, %1, %2;" : "=r"(difference) : "r"(sum), "r"(in[t + 64]));
  out[t] = difference;
}
__global__ void packed(const int* in, unsigned* out) {
  const int t = threadIdx.x;
  unsigned pair, bytes;
  asm("cvt.pack.sat.s16.s32 %0, %1, %2;" : "=r"(pair) : "r"(in[t] >> 12), "r"(in[t + 32] >> 14));
  asm("cvt.pack.sat.u8.s32.b32 %0, %1, %2, %3;"
      : "=r"(bytes)
      : "r"(in[t] >> 22), "r"(in[t + 32] >> 23), "r"(pair));
  out[t] = bytes;
}
__global__ void narrow(const float* in, short* out, unsigned char* bytes) {
  const int t = threadIdx.x;
  short s;
  unsigned b;
  asm("cvt.rni.s16.f32 %0, %1;" : "=h"(s) : "f"(in[t] * 60000.0f));
  asm("{ .reg .u8 x; cvt.rni.sat.u8.f32 x, %1; cvt.u32.u8 %0, x; }" : "=r"(b) : "f"(in[t] * 300.0f));
  out[t] = s;
  bytes[t] = static_cast<unsigned char>(b);
}
__global__ void by_constants(const double* in, double* out) {
  const int t = threadIdx.x;
  out[t] = in[t] / 3.0 + in[t] / 0.1 + in[t] / 255.0 + in[t] / 1e39;
}
__constant__ unsigned char kOdd[9] = {3, 1, 4, 1, 5, 9, 2, 6, 5};
__global__ void odd_table(const int* in, int* out) {
  int sum = in[threadIdx.x];
#pragma unroll
  for (int i = 0; i < 9; ++i) sum = sum * 3 + kOdd[i];
  out[threadIdx.x] = sum;
}
__global__ void vector_atomics(float* sums) {
  const int t = threadIdx.x;
  atomicAdd(reinterpret_cast<float2*>(sums) + t % 3, make_float2(t, 1));
  atomicAdd(reinterpret_cast<float4*>(sums) + 2 + t % 2, make_float4(1, t, 2, 3));
  const float4 old = atomicAdd(reinterpret_cast<float4*>(sums) + 8 + t, make_float4(4, 5, 6, t));
  if (old.x == 7) sums[0] = old.y;
}
__global__ void swap_128(unsigned long long* places) {
  unsigned long long low, high;
  asm volatile(
      "{ .reg .b128 v, old; mov.b128 v, {%3, %4}; atom.global.exch.b128 old, [%2], v;"
      " mov.b128 {%0, %1}, old; }"
      : "=l"(low), "=l"(high)
      : "l"(places + 2 * threadIdx.x), "l"(threadIdx.x + 5ull), "l"(threadIdx.x + 9ull)
      : "memory");
  places[64 + 2 * threadIdx.x] = low;
  places[65 + 2 * threadIdx.x] = high;
}
__global__ void remainder_128(const unsigned long long* in, unsigned long long* out) {
  const int t = threadIdx.x;
  out[t] = static_cast<unsigned __int128>(in[t]) * in[0] % 1000000007u;
}
// ptxas reads what is left over by the unrolled loop as one vector, past the end of the array.
__global__ void ranked(const int* in, int* out, int n, int threshold) {
  extern __shared__ int kept[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) kept[i] = in[i];
  __syncthreads();
  for (int i = t; i < n; i += blockDim.x) {
    if (kept[i] < threshold) continue;
    int rank = 0;
    for (int j = 0; j < n; ++j) rank += kept[j] > kept[i];
    out[rank] = kept[i];
  }
}
// As much shared memory as a block of sm_90 gets.
__global__ void largest_shared(int* out) {
  extern __shared__ int s[];
  s[threadIdx.x * 900] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = s[(threadIdx.x ^ 1) * 900];
}
