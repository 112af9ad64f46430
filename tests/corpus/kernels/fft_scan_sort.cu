#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
#define WARP 32

// ------------------------------------------------------- reductions, the seven of Harris
extern "C" __global__ void reduce0(int* g_idata, int* g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = g_idata[i];
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    if (tid % (2 * s) == 0) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
extern "C" __global__ void reduce1(int* g_idata, int* g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
  sdata[tid] = g_idata[i];
  __syncthreads();
  for (unsigned int s = 1; s < blockDim.x; s *= 2) {
    int index = 2 * s * tid;
    if (index < blockDim.x) sdata[index] += sdata[index + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
extern "C" __global__ void reduce2(int* g_idata, int* g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  sdata[tid] = g_idata[blockIdx.x * blockDim.x + threadIdx.x];
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
extern "C" __global__ void reduce3(int* g_idata, int* g_odata, unsigned n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  int mySum = (i < n) ? g_idata[i] : 0;
  if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
  sdata[tid] = mySum;
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
    if (tid < s) sdata[tid] = mySum = mySum + sdata[tid + s];
    __syncthreads();
  }
  if (tid == 0) g_odata[blockIdx.x] = mySum;
}
__device__ void warpReduce4(volatile int* sdata, int tid) {
  int v = sdata[tid];
  v += sdata[tid + 32];
  __syncwarp();
  sdata[tid] = v;
  __syncwarp();
  v += sdata[tid + 16];
  __syncwarp();
  sdata[tid] = v;
  __syncwarp();
  v += sdata[tid + 8];
  __syncwarp();
  sdata[tid] = v;
  __syncwarp();
  v += sdata[tid + 4];
  __syncwarp();
  sdata[tid] = v;
  __syncwarp();
  v += sdata[tid + 2];
  __syncwarp();
  sdata[tid] = v;
  __syncwarp();
  v += sdata[tid + 1];
  __syncwarp();
  sdata[tid] = v;
  __syncwarp();
}
extern "C" __global__ void reduce4(int* g_idata, int* g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  sdata[tid] = g_idata[i] + g_idata[i + blockDim.x];
  __syncthreads();
  for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
    if (tid < s) sdata[tid] += sdata[tid + s];
    __syncthreads();
  }
  if (tid < 32) warpReduce4(sdata, tid);
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
template <unsigned int blockSize>
__device__ void warpReduce(volatile int* sdata, unsigned int tid) {
  if (blockSize >= 64) {
    int v = sdata[tid] + sdata[tid + 32];
    __syncwarp();
    sdata[tid] = v;
    __syncwarp();
  }
  if (blockSize >= 32) {
    int v = sdata[tid] + sdata[tid + 16];
    __syncwarp();
    sdata[tid] = v;
    __syncwarp();
  }
  if (blockSize >= 16) {
    int v = sdata[tid] + sdata[tid + 8];
    __syncwarp();
    sdata[tid] = v;
    __syncwarp();
  }
  if (blockSize >= 8) {
    int v = sdata[tid] + sdata[tid + 4];
    __syncwarp();
    sdata[tid] = v;
    __syncwarp();
  }
  if (blockSize >= 4) {
    int v = sdata[tid] + sdata[tid + 2];
    __syncwarp();
    sdata[tid] = v;
    __syncwarp();
  }
  if (blockSize >= 2) {
    int v = sdata[tid] + sdata[tid + 1];
    __syncwarp();
    sdata[tid] = v;
    __syncwarp();
  }
}
template <unsigned int blockSize>
__global__ void reduce5(int* g_idata, int* g_odata) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockSize * 2) + threadIdx.x;
  sdata[tid] = g_idata[i] + g_idata[i + blockSize];
  __syncthreads();
  if (blockSize >= 512) {
    if (tid < 256) sdata[tid] += sdata[tid + 256];
    __syncthreads();
  }
  if (blockSize >= 256) {
    if (tid < 128) sdata[tid] += sdata[tid + 128];
    __syncthreads();
  }
  if (blockSize >= 128) {
    if (tid < 64) sdata[tid] += sdata[tid + 64];
    __syncthreads();
  }
  if (tid < 32) warpReduce<blockSize>(sdata, tid);
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
template <unsigned int blockSize>
__global__ void reduce6(int* g_idata, int* g_odata, unsigned int n) {
  extern __shared__ int sdata[];
  unsigned int tid = threadIdx.x;
  unsigned int i = blockIdx.x * (blockSize * 2) + tid;
  unsigned int gridSize = blockSize * 2 * gridDim.x;
  int s = 0;
  while (i < n) {
    s += g_idata[i];
    if (i + blockSize < n) s += g_idata[i + blockSize];
    i += gridSize;
  }
  sdata[tid] = s;
  __syncthreads();
  if (blockSize >= 512) {
    if (tid < 256) sdata[tid] += sdata[tid + 256];
    __syncthreads();
  }
  if (blockSize >= 256) {
    if (tid < 128) sdata[tid] += sdata[tid + 128];
    __syncthreads();
  }
  if (blockSize >= 128) {
    if (tid < 64) sdata[tid] += sdata[tid + 64];
    __syncthreads();
  }
  if (tid < 32) warpReduce<blockSize>(sdata, tid);
  if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}
template <typename T, typename Op>
__inline__ __device__ T warpReduceAll(T v, Op op) {
  for (int o = WARP / 2; o > 0; o /= 2) v = op(v, __shfl_down_sync(0xffffffff, v, o));
  return v;
}
struct MinOp {
  __device__ double operator()(double a, double b) const { return a < b ? a : b; }
};
extern "C" __global__ void reduce_shuffle_double(const double* in, double* out, int n) {
  static __shared__ double shared[32];
  int lane = threadIdx.x % WARP, wid = threadIdx.x / WARP;
  double v = 1e300;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    v = MinOp()(v, in[i]);
  v = warpReduceAll(v, MinOp());
  if (lane == 0) shared[wid] = v;
  __syncthreads();
  v = (threadIdx.x < blockDim.x / WARP) ? shared[lane] : 1e300;
  if (wid == 0) v = warpReduceAll(v, MinOp());
  if (threadIdx.x == 0) out[blockIdx.x] = v;
}
extern "C" __global__ void reduce_cg(const int* in, int* out, int n) {
  cg::thread_block b = cg::this_thread_block();
  auto tile = cg::tiled_partition<32>(b);
  __shared__ int acc;
  if (b.thread_rank() == 0) acc = 0;
  b.sync();
  int s = 0;
  for (int i = blockIdx.x * b.size() + b.thread_rank(); i < n; i += gridDim.x * b.size())
    s += in[i] >> 8;
  s = cg::reduce(tile, s, cg::plus<int>());
  auto t8 = cg::tiled_partition<8>(tile);
  int mx = cg::reduce(t8, (int)b.thread_rank() ^ s, cg::greater<int>());
  if (tile.thread_rank() == 0) atomicAdd(&acc, s + (mx & 1));
  b.sync();
  if (b.thread_rank() == 0) atomicAdd(out, acc);
}
// last block finishes the sum: the ticket with a fence
__device__ unsigned int retirement = 0;
extern "C" __global__ void reduce_last_block(const float* in, volatile float* partial, float* out,
                                             int n) {
  __shared__ float s[256];
  __shared__ bool amLast;
  float v = 0;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) v += in[i];
  s[threadIdx.x] = v;
  __syncthreads();
  for (int o = 128; o > 0; o >>= 1) {
    if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = s[0];
    __threadfence();
    amLast = atomicInc(&retirement, gridDim.x) == gridDim.x - 1;
  }
  __syncthreads();
  if (amLast) {
    s[threadIdx.x] = threadIdx.x < gridDim.x ? partial[threadIdx.x] : 0.f;
    __syncthreads();
    for (int o = 128; o > 0; o >>= 1) {
      if (threadIdx.x < o) s[threadIdx.x] += s[threadIdx.x + o];
      __syncthreads();
    }
    if (threadIdx.x == 0) *out = s[0];
  }
}
// ------------------------------------------------------- scans
extern "C" __global__ void kogge_stone(const float* X, float* Y, int N) {
  __shared__ float XY[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  XY[threadIdx.x] = i < N ? X[i] : 0.0f;
  for (unsigned int stride = 1; stride < blockDim.x; stride *= 2) {
    __syncthreads();
    float temp = 0;
    if (threadIdx.x >= stride) temp = XY[threadIdx.x] + XY[threadIdx.x - stride];
    __syncthreads();
    if (threadIdx.x >= stride) XY[threadIdx.x] = temp;
  }
  if (i < N) Y[i] = XY[threadIdx.x];
}
extern "C" __global__ void brent_kung(const int* X, int* Y, int N) {
  __shared__ int XY[512];
  int i = 2 * blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N)
    XY[threadIdx.x] = X[i];
  else
    XY[threadIdx.x] = 0;
  if (i + blockDim.x < N)
    XY[threadIdx.x + blockDim.x] = X[i + blockDim.x];
  else
    XY[threadIdx.x + blockDim.x] = 0;
  for (unsigned int stride = 1; stride <= blockDim.x; stride *= 2) {
    __syncthreads();
    unsigned int index = (threadIdx.x + 1) * 2 * stride - 1;
    if (index < 2 * blockDim.x) XY[index] += XY[index - stride];
  }
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    __syncthreads();
    unsigned int index = (threadIdx.x + 1) * stride * 2 - 1;
    if (index + stride < 2 * blockDim.x) XY[index + stride] += XY[index];
  }
  __syncthreads();
  if (i < N) Y[i] = XY[threadIdx.x];
  if (i + blockDim.x < N) Y[i + blockDim.x] = XY[threadIdx.x + blockDim.x];
}
// Blelloch with the conflict-free offsets of GPU Gems 3
#define CONFLICT_FREE_OFFSET(n) ((n) >> 5)
extern "C" __global__ void blelloch_cf(const int* g_idata, int* g_odata, int n) {
  extern __shared__ int temp[];
  int thid = threadIdx.x, offset = 1;
  const int* in = g_idata + blockIdx.x * n;
  int ai = thid, bi = thid + n / 2;
  int bankA = CONFLICT_FREE_OFFSET(ai), bankB = CONFLICT_FREE_OFFSET(bi);
  temp[ai + bankA] = in[ai];
  temp[bi + bankB] = in[bi];
  for (int d = n >> 1; d > 0; d >>= 1) {
    __syncthreads();
    if (thid < d) {
      int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      temp[b] += temp[a];
    }
    offset *= 2;
  }
  if (thid == 0) temp[n - 1 + CONFLICT_FREE_OFFSET(n - 1)] = 0;
  for (int d = 1; d < n; d *= 2) {
    offset >>= 1;
    __syncthreads();
    if (thid < d) {
      int a = offset * (2 * thid + 1) - 1, b = offset * (2 * thid + 2) - 1;
      a += CONFLICT_FREE_OFFSET(a);
      b += CONFLICT_FREE_OFFSET(b);
      int t = temp[a];
      temp[a] = temp[b];
      temp[b] += t;
    }
  }
  __syncthreads();
  g_odata[blockIdx.x * n + ai] = temp[ai + bankA];
  g_odata[blockIdx.x * n + bi] = temp[bi + bankB];
}
extern "C" __global__ void scan_shfl_long(const long long* in, long long* out, int n) {
  __shared__ long long sums[32];
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  long long v = i < n ? in[i] : 0;
#pragma unroll
  for (int d = 1; d < 32; d <<= 1) {
    long long u = __shfl_up_sync(~0u, v, d);
    if (lane >= d) v += u;
  }
  if (lane == 31) sums[w] = v;
  __syncthreads();
  if (w == 0) {
    long long t = lane < blockDim.x / 32 ? sums[lane] : 0;
    for (int d = 1; d < 32; d <<= 1) {
      long long u = __shfl_up_sync(~0u, t, d);
      if (lane >= d) t += u;
    }
    sums[lane] = t;
  }
  __syncthreads();
  if (w) v += sums[w - 1];
  if (i < n) out[i] = v;
}
extern "C" __global__ void scan_cg(const int* in, int* out, int n) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] : 0;
  int r = cg::exclusive_scan(tile, v, cg::plus<int>());
  if (i < n) out[i] = r;
}
// compaction with ballots and one atomic per block
extern "C" __global__ void compact_ballot(const float* in, float* out, int* counter, int* offsets,
                                          int n) {
  __shared__ int warps[8], base;
  int i = blockIdx.x * 256 + threadIdx.x, lane = threadIdx.x & 31, w = threadIdx.x >> 5;
  float v = i < n ? in[i] : -1.f;
  unsigned b = __ballot_sync(0xffffffff, v > 0.f);
  if (lane == 0) warps[w] = __popc(b);
  __syncthreads();
  if (threadIdx.x == 0) {
    int s = 0;
    for (int k = 0; k < 8; ++k) {
      int t = warps[k];
      warps[k] = s;
      s += t;
    }
    atomicAdd(counter, s);
    offsets[blockIdx.x] = s;
    base = blockIdx.x * 256;
  }
  __syncthreads();
  if (v > 0.f) out[base + warps[w] + __popc(b & ((1u << lane) - 1))] = v;
}
// ------------------------------------------------------- histograms
extern "C" __global__ void histo_private(const unsigned char* data, int len, unsigned* histo,
                                         int bins) {
  extern __shared__ unsigned hs[];
  for (int b = threadIdx.x; b < bins; b += blockDim.x) hs[b] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < len; i += blockDim.x * gridDim.x)
    atomicAdd(&hs[data[i] * bins >> 8], 1);
  __syncthreads();
  for (int b = threadIdx.x; b < bins; b += blockDim.x)
    if (hs[b] > 0) atomicAdd(&histo[b], hs[b]);
}
extern "C" __global__ void histo_warp_copies(const uchar4* data, int n4, unsigned* out) {
  __shared__ unsigned h[4][64 + 1];
  int w = threadIdx.x / 32;
  for (int i = threadIdx.x; i < 4 * 65; i += 128) (&h[0][0])[i] = 0;
  __syncthreads();
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n4; i += gridDim.x * 128) {
    uchar4 v = data[i];
    atomicAdd(&h[w][v.x >> 2], 1u);
    atomicAdd(&h[w][v.y >> 2], 1u);
    atomicAdd(&h[w][v.z >> 2], 1u);
    atomicAdd(&h[w][v.w >> 2], 1u);
  }
  __syncthreads();
  if (threadIdx.x < 64)
    out[blockIdx.x * 64 + threadIdx.x] =
        h[0][threadIdx.x] + h[1][threadIdx.x] + h[2][threadIdx.x] + h[3][threadIdx.x];
}
// ------------------------------------------------------- sorts
template <typename T>
__device__ void cmpswap(T& a, T& b, bool up) {
  if ((a > b) == up) {
    T t = a;
    a = b;
    b = t;
  }
}
template <typename T>
__global__ void bitonic_block(T* data, int n) {
  extern __shared__ unsigned char raw[];
  T* s = reinterpret_cast<T*>(raw);
  T* d = data + blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = d[i];
  for (int size = 2; size <= n; size <<= 1)
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      for (int t = threadIdx.x; t < n / 2; t += blockDim.x) {
        int pos = 2 * t - (t & (stride - 1));
        cmpswap(s[pos], s[pos + stride], (pos & size) == 0);
      }
    }
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = s[i];
}
extern "C" __global__ void bitonic_warp(unsigned* data) {
  unsigned v = data[blockIdx.x * blockDim.x + threadIdx.x];
  int lane = threadIdx.x & 31;
  for (int k = 2; k <= 32; k *= 2)
    for (int j = k / 2; j > 0; j /= 2) {
      unsigned o = __shfl_xor_sync(~0u, v, j);
      bool up = (lane & k) == 0, low = (lane & j) == 0;
      v = (low == up) ? min(v, o) : max(v, o);
    }
  data[blockIdx.x * blockDim.x + threadIdx.x] = v;
}
// one bit at a time radix sort of a block
extern "C" __global__ void radix_bits(unsigned* data, int bits) {
  __shared__ unsigned key[2][256];
  __shared__ int zeros[8];
  int t = threadIdx.x, lane = t & 31, w = t >> 5, cur = 0;
  key[0][t] = data[blockIdx.x * 256 + t];
  for (int b = 0; b < bits; ++b) {
    __syncthreads();
    unsigned k = key[cur][t];
    bool one = k >> b & 1;
    unsigned m = __ballot_sync(~0u, !one);
    if (lane == 0) zeros[w] = __popc(m);
    __syncthreads();
    int before = 0, total = 0;
#pragma unroll
    for (int i = 0; i < 8; ++i) {
      if (i < w) before += zeros[i];
      total += zeros[i];
    }
    int z = before + __popc(m & ((1u << lane) - 1));
    key[cur ^ 1][one ? total + t - z : z] = k;
    cur ^= 1;
  }
  __syncthreads();
  data[blockIdx.x * 256 + t] = key[cur][t];
}
extern "C" __global__ void oddeven_merge(short* a, int n) {
  __shared__ short s[300];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = a[blockIdx.x * n + i];
  __syncthreads();
  for (int r = 0; r < n; ++r) {
    int i = 2 * threadIdx.x + (r & 1);
    if (i + 1 < n && s[i] > s[i + 1]) {
      short t = s[i];
      s[i] = s[i + 1];
      s[i + 1] = t;
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) a[blockIdx.x * n + i] = s[i];
}
// ------------------------------------------------------- FFT in shared
__device__ float2 cmul(float2 a, float2 b) {
  return make_float2(a.x * b.x - a.y * b.y, a.x * b.y + a.y * b.x);
}
extern "C" __global__ void fft_radix2(float2* data, int logn) {
  extern __shared__ float2 z[];
  int n = 1 << logn;
  float2* d = data + blockIdx.x * n;
  for (int i = threadIdx.x; i < n; i += blockDim.x) z[__brev(i) >> (32 - logn)] = d[i];
  __syncthreads();
  for (int s = 1; s <= logn; ++s) {
    int half = 1 << (s - 1);
    for (int t = threadIdx.x; t < n / 2; t += blockDim.x) {
      int j = t & (half - 1), i = ((t >> (s - 1)) << s) + j;
      float sn, cs;
      __sincosf(-3.14159265f * j / half, &sn, &cs);
      float2 u = z[i], v = cmul(z[i + half], make_float2(cs, sn));
      z[i] = make_float2(u.x + v.x, u.y + v.y);
      z[i + half] = make_float2(u.x - v.x, u.y - v.y);
    }
    __syncthreads();
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) d[i] = z[i];
}
// Stockham radix 4, split arrays of re and im, padded
extern "C" __global__ void __launch_bounds__(64) fft_stockham4(const float2* in, float2* out) {
  __shared__ float re[256 + 8], im[256 + 8];
  auto P = [](int i) { return i + (i >> 5); };
  int t = threadIdx.x;
  float2 v[4];
#pragma unroll
  for (int r = 0; r < 4; ++r) v[r] = in[blockIdx.x * 256 + t + r * 64];
#pragma unroll 1
  for (int ns = 1; ns < 256; ns *= 4) {
    float ang = -6.2831853f * (t % ns) / (ns * 4);
#pragma unroll
    for (int r = 1; r < 4; ++r) {
      float s, c;
      sincosf(r * ang, &s, &c);
      v[r] = cmul(v[r], make_float2(c, s));
    }
    float2 a = make_float2(v[0].x + v[2].x, v[0].y + v[2].y),
           b = make_float2(v[0].x - v[2].x, v[0].y - v[2].y);
    float2 c = make_float2(v[1].x + v[3].x, v[1].y + v[3].y),
           d = make_float2(v[1].y - v[3].y, v[3].x - v[1].x);
    v[0] = make_float2(a.x + c.x, a.y + c.y);
    v[1] = make_float2(b.x + d.x, b.y + d.y);
    v[2] = make_float2(a.x - c.x, a.y - c.y);
    v[3] = make_float2(b.x - d.x, b.y - d.y);
    int idx = (t / ns) * ns * 4 + t % ns;
#pragma unroll
    for (int r = 0; r < 4; ++r) {
      re[P(idx + r * ns)] = v[r].x;
      im[P(idx + r * ns)] = v[r].y;
    }
    __syncthreads();
#pragma unroll
    for (int r = 0; r < 4; ++r) v[r] = make_float2(re[P(t + r * 64)], im[P(t + r * 64)]);
    __syncthreads();
  }
#pragma unroll
  for (int r = 0; r < 4; ++r) out[blockIdx.x * 256 + t + r * 64] = v[r];
}
