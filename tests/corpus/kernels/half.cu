// Arithmetic on halves, alone and in pairs, through its PTX instructions (no header).
typedef unsigned short half_bits;

__device__ half_bits add(half_bits a, half_bits b) {
  half_bits d;
  asm("add.rn.f16 %0, %1, %2;" : "=h"(d) : "h"(a), "h"(b));
  return d;
}
__device__ half_bits multiply_add(half_bits a, half_bits b, half_bits c) {
  half_bits d;
  asm("fma.rn.f16 %0, %1, %2, %3;" : "=h"(d) : "h"(a), "h"(b), "h"(c));
  return d;
}
__device__ unsigned add2(unsigned a, unsigned b) {
  unsigned d;
  asm("add.rn.f16x2 %0, %1, %2;" : "=r"(d) : "r"(a), "r"(b));
  return d;
}
__device__ unsigned multiply_add2(unsigned a, unsigned b, unsigned c) {
  unsigned d;
  asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c));
  return d;
}
__device__ float widen(half_bits a) {
  float d;
  asm("cvt.f32.f16 %0, %1;" : "=f"(d) : "h"(a));
  return d;
}
__device__ half_bits narrow(float a) {
  half_bits d;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(d) : "f"(a));
  return d;
}

extern "C" __global__ void half_axpy(float a, const half_bits* x, half_bits* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = multiply_add(narrow(a), x[i], y[i]);
}
extern "C" __global__ void half2_axpy(unsigned a, const unsigned* x, unsigned* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] = multiply_add2(a, x[i], y[i]);
}
extern "C" __global__ void half8_axpy(unsigned a, const uint4* x, uint4* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const uint4 v = x[i];
  uint4 w = y[i];
  w.x = multiply_add2(a, v.x, w.x);
  w.y = multiply_add2(a, v.y, w.y);
  w.z = multiply_add2(a, v.z, w.z);
  w.w = multiply_add2(a, v.w, w.w);
  y[i] = w;
}

// Sum of a block's halves, through shared memory, in pairs or one by one, and as floats.
extern "C" __global__ void half_reduce(const half_bits* in, half_bits* out) {
  __shared__ half_bits s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) s[t] = add(s[t], s[t + step]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void half2_reduce(const unsigned* in, unsigned* out) {
  __shared__ unsigned s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) s[t] = add2(s[t], s[t + step]);
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void half_softmax_row(const half_bits* in, half_bits* out, int n) {
  float largest = -65504.0f, sum = 0;
  const half_bits* row = in + blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += 32) largest = fmaxf(largest, widen(row[i]));
  for (int k = 16; k > 0; k /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xffffffffu, largest, k));
  for (int i = threadIdx.x; i < n; i += 32) sum += __expf(widen(row[i]) - largest);
  for (int k = 16; k > 0; k /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, k);
  for (int i = threadIdx.x; i < n; i += 32) {
    out[blockIdx.x * n + i] = narrow(__expf(widen(row[i]) - largest) / sum);
  }
}

// Halves transposed through a tile of pitch 33: two lanes a word.
extern "C" __global__ void half_transpose(const half_bits* in, half_bits* out, int n) {
  __shared__ half_bits s[32][33];
  const int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32;
  for (int j = threadIdx.y; j < 32; j += 8) s[j][threadIdx.x] = in[(y + j) * n + x];
  __syncthreads();
  for (int j = threadIdx.y; j < 32; j += 8) {
    out[(blockIdx.x * 32 + j) * n + y + threadIdx.x] = s[threadIdx.x][j];
  }
}
