// Reductions and prefix sums with every tree.
#include <cuda_fp16.h>

template <typename T>
__device__ __forceinline__ T warp_sum(T v) {
#pragma unroll
  for (int o = 16; o; o >>= 1) v += __shfl_xor_sync(0xffffffffu, v, o);
  return v;
}

// Harris' last: first add during load in a grid-stride loop, unrolled tree by template, the last warp without barriers.
template <typename T, unsigned kBlock>
__device__ void last_warp(volatile T* s, unsigned t) {
  T v = s[t];
  if (kBlock >= 64) { v += s[t + 32]; __syncwarp(); s[t] = v; __syncwarp(); }
  if (kBlock >= 32) { v += s[t + 16]; __syncwarp(); s[t] = v; __syncwarp(); }
  if (kBlock >= 16) { v += s[t + 8]; __syncwarp(); s[t] = v; __syncwarp(); }
  if (kBlock >= 8) { v += s[t + 4]; __syncwarp(); s[t] = v; __syncwarp(); }
  if (kBlock >= 4) { v += s[t + 2]; __syncwarp(); s[t] = v; __syncwarp(); }
  if (kBlock >= 2) { v += s[t + 1]; __syncwarp(); s[t] = v; __syncwarp(); }
}

template <typename T, unsigned kBlock>
__global__ void reduce_harris(const T* in, T* out, unsigned n) {
  extern __shared__ __align__(8) unsigned char raw[];
  T* s = reinterpret_cast<T*>(raw);
  const unsigned t = threadIdx.x;
  T sum = 0;
  for (unsigned i = blockIdx.x * kBlock * 2 + t; i < n; i += kBlock * 2 * gridDim.x) {
    sum += in[i];
    if (i + kBlock < n) sum += in[i + kBlock];
  }
  s[t] = sum;
  if (t < 32) s[kBlock + t] = 0;  // what the last warp's upper lanes read
  __syncthreads();
  if (kBlock >= 512) { if (t < 256) s[t] += s[t + 256]; __syncthreads(); }
  if (kBlock >= 256) { if (t < 128) s[t] += s[t + 128]; __syncthreads(); }
  if (kBlock >= 128) { if (t < 64) s[t] += s[t + 64]; __syncthreads(); }
  if (t < 32) last_warp<T, kBlock>(s, t);
  if (t == 0) out[blockIdx.x] = s[0];
}

// Interleaved with modulo, then with strided index, in shorts: 2-byte places, many to a bank.
extern "C" __global__ void reduce_shorts(const short* in, int* out) {
  __shared__ short s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t] >> 8;
  for (int o = 1; o < 16; o *= 2) {
    __syncthreads();
    if (t % (2 * o) == 0) s[t] += s[t + o];
  }
  for (int o = 16; o < 256; o *= 2) {
    __syncthreads();
    const int i = 2 * o * t;
    if (i + o < 256) s[i] += s[i + o];
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// Largest value and where it is, through pairs in shared memory.
struct Best {
  float v;
  int at;
};
extern "C" __global__ void arg_max(const float* in, Best* out, int n) {
  __shared__ Best s[96];
  const int t = threadIdx.x;
  Best b = {-1e30f, -1};
  for (int i = blockIdx.x * 96 + t; i < n; i += 96 * gridDim.x)
    if (in[i] > b.v) b = {in[i], i};
  s[t] = b;
  __syncthreads();
  for (int half = 48, have = 96; have > 1; have = half, half = (half + 1) / 2) {
    if (t < have - half && (s[t + half].v > s[t].v || (s[t + half].v == s[t].v && s[t + half].at < s[t].at))) s[t] = s[t + half];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}

// Mean and variance together (Welford through shuffles), float4 loads, one block to a row.
extern "C" __global__ void moments(const float4* in, float2* out, int n4) {
  __shared__ float3 part[4];
  float mean = 0.0f, m2 = 0.0f, count = 0.0f;
  for (int i = threadIdx.x; i < n4; i += 128) {
    const float4 v = __ldcs(in + blockIdx.x * n4 + i);
    const float e[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (int k = 0; k < 4; ++k) {
      count += 1.0f;
      const float d = e[k] - mean;
      mean += d / count;
      m2 += d * (e[k] - mean);
    }
  }
  auto merge = [&](float m, float q, float c) {
    const float all = count + c;
    if (all > 0.0f) {
      const float d = m - mean;
      mean += d * c / all;
      m2 += q + d * d * count * c / all;
      count = all;
    }
  };
  for (int o = 16; o > 0; o /= 2) {
    const float m = __shfl_down_sync(~0u, mean, o), q = __shfl_down_sync(~0u, m2, o), c = __shfl_down_sync(~0u, count, o);
    merge(m, q, c);
  }
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = make_float3(mean, m2, count);
  __syncthreads();
  if (threadIdx.x == 0) {
    for (int w = 1; w < 4; ++w) merge(part[w].x, part[w].y, part[w].z);
    out[blockIdx.x] = make_float2(mean, m2 / count);
  }
}

// Blelloch's scan, conflict-free offsets as in GPU Gems or none; doubles or ints.
#ifdef CONFLICT_FREE
#define PLACE(i) ((i) + ((i) >> 5) + ((i) >> 10))
#else
#define PLACE(i) (i)
#endif
template <typename T>
__global__ void blelloch(const T* in, T* out, T* totals, int n) {
  extern __shared__ __align__(8) char room[];
  T* s = (T*)room;
  const int t = threadIdx.x, a = t, b = t + n / 2;
  const T* from = in + blockIdx.x * n;
  s[PLACE(a)] = from[a];
  s[PLACE(b)] = from[b];
  int offset = 1;
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (t < d) s[PLACE(offset * (2 * t + 2) - 1)] += s[PLACE(offset * (2 * t + 1) - 1)];
    offset <<= 1;
  }
  if (t == 0) {
    totals[blockIdx.x] = s[PLACE(n - 1)];
    s[PLACE(n - 1)] = 0;
  }
  for (int d = 1; d < n; d <<= 1) {
    offset >>= 1;
    __syncthreads();
    if (t < d) {
      const int i = PLACE(offset * (2 * t + 1) - 1), j = PLACE(offset * (2 * t + 2) - 1);
      const T old = s[i];
      s[i] = s[j];
      s[j] += old;
    }
  }
  __syncthreads();
  out[blockIdx.x * n + a] = s[PLACE(a)];
  out[blockIdx.x * n + b] = s[PLACE(b)];
}

// Hillis and Steele with two halves of one dynamic array, inclusive.
extern "C" __global__ void hillis(const float* in, float* out, int n) {
  extern __shared__ float ab[];
  int from = 0, to = n;
  const int t = threadIdx.x;
  ab[t] = in[blockIdx.x * n + t];
  __syncthreads();
  for (int o = 1; o < n; o <<= 1) {
    ab[to + t] = t >= o ? ab[from + t] + ab[from + t - o] : ab[from + t];
    __syncthreads();
    const int swap = from;
    from = to;
    to = swap;
  }
  out[blockIdx.x * n + t] = ab[from + t];
}

// A scan of rows: a warp to a row, 32 x 4, running carry; columns past the end are predicated.
extern "C" __global__ void scan_rows(const int* in, long long* out, int rows, int cols) {
  const int row = blockIdx.x * blockDim.y + threadIdx.y, lane = threadIdx.x;
  if (row >= rows) return;
  long long carry = 0;
  for (int c = 0; c < cols; c += 32) {
    long long v = c + lane < cols ? in[row * cols + c + lane] : 0;
    for (int o = 1; o < 32; o *= 2) {
      const long long u = __shfl_up_sync(0xffffffff, v, o);
      if (lane >= o) v += u;
    }
    v += carry;
    if (c + lane < cols) out[row * cols + c + lane] = v;
    carry = __shfl_sync(0xffffffff, v, 31);
  }
}

// Dot product of halves in half2, block sum through shared doubles, the end by an atomic on a double.
extern "C" __global__ void dot_half2(const __half2* x, const __half2* y, double* out, int n2) {
  __shared__ double s[8];
  float sum = 0.0f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n2; i += blockDim.x * gridDim.x) {
    const float2 a = __half22float2(x[i]), b = __half22float2(y[i]);
    sum += a.x * b.x + a.y * b.y;
  }
  const double w = warp_sum((double)sum);
  if ((threadIdx.x & 31) == 0) s[threadIdx.x >> 5] = w;
  __syncthreads();
  if (threadIdx.x < 8) {
    double v = s[threadIdx.x];
    for (int o = 4; o; o >>= 1) v += __shfl_down_sync(0xff, v, o, 8);
    if (threadIdx.x == 0) atomicAdd(out, v);
  }
}

// Sums down columns: a tile of 32 x 32 is summed by rows of threads, pad 1.
extern "C" __global__ void column_sums(const float* in, float* out, int rows, int cols) {
  __shared__ float s[32][33];
  const int c = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  if (c < cols)
    for (int r = threadIdx.y; r < rows; r += blockDim.y) sum += in[r * cols + c];
  s[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  for (int k = threadIdx.y; k < 32; k += blockDim.y) {
    const float v = warp_sum(threadIdx.x < blockDim.y ? s[threadIdx.x][k] : 0.0f);
    if (threadIdx.x == 0 && blockIdx.x * 32 + k < cols) out[blockIdx.x * 32 + k] = v;
  }
}
