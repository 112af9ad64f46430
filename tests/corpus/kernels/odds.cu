#include <cassert>
#include <cstdio>
// Odd instructions and built-ins.
__global__ void clocks(const float* in, float* out, long long* spent, int n) {
  long long t0 = clock64();
  int c0 = clock();
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += in[i] * 0.5f;
  out[blockIdx.x * blockDim.x + threadIdx.x] = s;
  long long t1 = clock64();
  if (threadIdx.x == 0) spent[blockIdx.x] = t1 - t0 + (clock() - c0) * 0;
}
__global__ void naps(const unsigned* in, unsigned* out) {
  unsigned v = in[blockIdx.x * blockDim.x + threadIdx.x];
  if (v & 1) __nanosleep(20 + (v & 31));
  __syncwarp();
  for (int i = 0; i < (int)(v >> 30); ++i) __nanosleep(10);
  out[blockIdx.x * blockDim.x + threadIdx.x] = v + 1;
}
__global__ void votes(const unsigned* in, unsigned* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = i < n ? in[i] : 0;
  int c = __syncthreads_count(v & 1), a = __syncthreads_and(i >= n || v & 0x7fffffff),
      o = __syncthreads_or(v > 0xff000000u);
  unsigned m = 0;
  for (int b = 0; b < 4; ++b)
    if (__all_sync(~0u, (v >> b) != 77u)) m |= 1u << b;
  if (__any_sync(~0u, (v & 0xff) == 9)) m |= 16;
  if (__uni_sync(~0u, v >> 31)) m |= 32;
  int pred;
  unsigned same = __match_all_sync(~0u, blockIdx.x & 1 ? v & 1 : 5u, &pred);
  unsigned mask = __activemask();
  if (i < n) out[i] = c + a * 1000 + o * 2000 + m * 5000 + pred + __popc(same) + __popc(mask);
}
__global__ void redux(const int* in, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, v = in[i];
  unsigned m = __activemask();
  unsigned r = __reduce_add_sync(m, v & 255) ^ __reduce_min_sync(m, v) ^
               __reduce_max_sync(m, (unsigned)v) ^ __reduce_and_sync(m, v) ^
               __reduce_or_sync(m, v) ^ __reduce_xor_sync(m, v);
  if (v & 2) {
    unsigned k = __ballot_sync(__activemask(), 1);
    r += __reduce_add_sync(k, 1u);
  }
  out[i] = r;
}
__global__ void double_shuffles(const double* in, double* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  double v = i < n ? in[i] : 0;
  double s = v;
  for (int o = 1; o < 32; o <<= 1) {
    double u = __shfl_up_sync(~0u, s, o);
    if (lane >= o) s += u;
  }
  double b = __shfl_xor_sync(~0u, v, 7, 8), c = __shfl_sync(~0u, v, lane * 3, 16),
         d = __shfl_down_sync(~0u, s, 1 + (lane & 3));
  long long k = __shfl_sync(~0u, (long long)i << 33, 31 - lane);
  if (i < n) out[i] = s + b * c - d + (double)(k >> 33);
}
__global__ void bit_tricks(const unsigned* a, const unsigned* b, unsigned* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned x = a[i], y = b[i];
  unsigned r = __byte_perm(x, y, y & 0x7777) ^ __funnelshift_l(x, y, y) ^
               __funnelshift_rc(x, y, x & 63) ^ __brev(x);
  r += __dp4a((int)x, (int)y, 7) + __dp2a_lo((int)x, (int)y, 3) + __umulhi(x, y) + __mul24(x, y) +
       __sad(x, y, 1u);
  r ^= __vadd4(x, y) ^ __vmaxs2(x, y) ^ __vcmpgtu4(x, y) ^ __vavgu4(x, y) ^ __vabsss2(x);
  r += __clz(x) + __ffs(y) * 3 + __popcll((unsigned long long)x << 20 | y) + __fns(x, 0, 3);
  r += __viaddmax_s32(x, y, 5) + __vimin3_s32(x, y, r);
  out[i] = r;
}
__global__ void float_tricks(const float* a, const double* d, float* out, double* outd) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float x = a[i] + 1.5f;
  double y = d[i] + 1.25;
  float r = __fdividef(x, 3.f) + rsqrtf(x) + __expf(x) + __log2f(x) + erff(x) + cbrtf(x) +
            fmodf(x, 0.3f) + ldexpf(x, i & 7) + __fmaf_rz(x, x, 1.f) + __frcp_rn(x) + rintf(x) +
            truncf(x);
  int e;
  r += frexpf(x, &e) + e + lgammaf(x) + sinpif(x) + hypotf(x, 2.f) + nextafterf(x, 9.f) +
       __fsqrt_ru(x);
  double s = exp(y) + log1p(y) + sin(y) * 1e-3 + pow(y, 1.7) + sqrt(y) / y + fma(y, y, -1.0) +
             tanh(y) + floor(y * 9) + (double)llrint(y * 1e5) + atan2(y, 3.0);
  out[i] = r;
  outd[i] = s;
}
__global__ void prints(const int* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && (in[i] & 15) == 3) printf("%d %s %f\n", i, "three", in[i] * 0.5);
  assert(n > 0 && in != nullptr);
  if (in[0] == 0x12345678 && n < 0) __trap();
  if (n == -5) asm volatile("exit;");
  if (i < n) out[i] = in[i] ^ n;
}
__global__ void shapes_of_launch(unsigned* out) {
  unsigned b = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  unsigned t = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  unsigned per = blockDim.x * blockDim.y * blockDim.z, lane, warp, lt;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
  warp = t / warpSize;
  if ((threadIdx.z ^ threadIdx.y) & 1)
    out[b * per + t] = lane + warp * 100 + __popc(lt);
  else
    out[b * per + t] = t;
}
__global__ void local_arrays(const unsigned* in, int* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int a[32];
  short b[9];
  double d[5];
  unsigned char c[40];
  for (int j = 0; j < 32; ++j) a[j] = in[(i + j) % n] >> 8;
  for (int j = 0; j < 9; ++j) b[j] = a[(j * 5) & 31];
  for (int j = 0; j < 5; ++j) d[j] = b[j] * 0.25;
  for (int j = 0; j < 40; ++j) c[j] = j * 7;
  unsigned k = in[i];
  int s = 0;
  for (int j = 0; j < 6; ++j) {
    int p = (k >> j) & 31;
    a[p] += a[(p + 3) & 31];
    b[p % 9] ^= a[p];
    d[p % 5] += b[p % 9];
    s += c[(k >> j) % 40] + (int)d[(p + 1) % 5];
    c[p] = s;
  }
  out[i] = s + a[k & 31];
}
__device__ int gCounter;
__device__ float gTable[64];
__managed__ int gManaged;
__global__ void globals(const float* in, float* out) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  gTable[i & 63] = 1.f;
  atomicAdd(&gCounter, 1);
  if (i == 0) gManaged = 3;
  out[i] = __ldg(in + i) + __ldcs(in + (i ^ 1)) + __ldcg(in + (i ^ 2));
  __stcs(out + i + gridDim.x * blockDim.x, in[i]);
}
__global__ void __launch_bounds__(1024, 2) wide_block(const uint4* in, uint4* out, int n) {
  __shared__ uint4 s[1024];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  s[threadIdx.x] = i < n ? in[i] : make_uint4(1, 2, 3, 4);
  __syncthreads();
  uint4 v = s[(threadIdx.x * 33) & 1023];
  uint2 w = ((const uint2*)s)[(threadIdx.x * 6) & 2047];
  v.x ^= w.x;
  v.y += w.y;
  v.z ^= ((unsigned short*)s)[threadIdx.x * 2];
  if (i < n) out[i] = v;
}
