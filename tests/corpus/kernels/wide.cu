// 64-bit integers and doubles, and vectors of 64 bits that lie off their natural places.
typedef long long int64;
typedef unsigned long long uint64;

extern "C" __global__ void int64_mix(const int64* in, int64* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int64 v = in[i];
  int64 w = v * (v >> 7) + (v << 3);
  w ^= w / (i + 3);
  w += v % (i + 5);
  out[i] = w < v ? w : v - w;
}
extern "C" __global__ void int64_hash(const uint64* in, uint64* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  uint64 z = in[i] + 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  out[i] = __umul64hi(z, z ^ (z >> 31)) + __popcll(z) + __clzll(z);
}
extern "C" __global__ void int64_scan(const int64* in, int64* out) {
  __shared__ int64 s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int step = 1; step < 256; step *= 2) {
    const int64 v = t >= step ? s[t - step] : 0;
    __syncthreads();
    s[t] += v;
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = s[t];
}

extern "C" __global__ void f64_reduce(const double* in, double* out) {
  __shared__ double s[256];
  const int t = threadIdx.x;
  s[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int step = 128; step > 0; step /= 2) {
    if (t < step) s[t] += s[t + step];
    __syncthreads();
  }
  if (t == 0) out[blockIdx.x] = s[0];
}
extern "C" __global__ void f64_reduce_shuffle(const double* in, double* out) {
  double v = in[blockIdx.x * blockDim.x + threadIdx.x];
  for (int k = 16; k > 0; k /= 2) v += __shfl_down_sync(0xffffffffu, v, k);
  if (threadIdx.x % 32 == 0) out[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = v;
}
extern "C" __global__ void f64_norms(const double* in, double* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double x = in[2 * i], y = in[2 * i + 1];
  out[i] = sqrt(x * x + y * y) + x / (1.0 + fabs(y));
}
// Columns of doubles in shared memory, PITCH apart.
#ifndef PITCH
#define PITCH 32
#endif
extern "C" __global__ void f64_transpose(const double* in, double* out) {
  __shared__ double s[32 * PITCH];
  const int x = threadIdx.x, y = threadIdx.y;  // 32 x 8
  for (int j = y; j < 32; j += 8) s[j * PITCH + x] = in[j * 32 + x];
  __syncthreads();
  for (int j = y; j < 32; j += 8) out[j * 32 + x] = s[x * PITCH + j];
}

// Pairs of words read from odd words on: the compiler may not join them.
struct Pair {
  int a, b;
};
extern "C" __global__ void pairs_off_place(const int* in, Pair* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = Pair{in[2 * i + 1], in[2 * i + 2]};
}
extern "C" __global__ void pairs_in_place(const int2* in, Pair* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int2 v = in[i + 1];
  out[i] = Pair{v.x, v.y};
}
extern "C" __global__ void shared_pairs_off_place(const int* in, int* out) {
  __shared__ __align__(16) int s[2 * 128 + 2];
  const int t = threadIdx.x;  // 128
  s[2 * t + 1] = in[2 * t];
  s[2 * t + 2] = in[2 * t + 1];
  __syncthreads();
  out[t] = s[2 * t + 1] + s[2 * t + 2] + s[(2 * t + 64) % 256 + 1];
}

// A pointer that may lie in either memory: the machine loads through a generic address.
extern "C" __global__ void generic_either(const int* in, int* out, int k) {
  __shared__ int s[128];
  const int t = threadIdx.x;
  s[t] = in[t];
  __syncthreads();
  const int* volatile chosen = t / 32 == k ? in : s;
  const int* const p = chosen;
  out[t] = p[t ^ 1] + p[t * 2 % 128];
}
