// Scans, compaction, merging.
__global__ void blelloch(const int* in, int* out, int* sums,
                         int n) {  // 2 * blockDim elements, padded against conflicts
  extern __shared__ int s[];
#define AT(i) s[(i) + ((i) >> 5)]
  int t = threadIdx.x, m = 2 * blockDim.x, base = blockIdx.x * m;
  AT(t) = base + t < n ? in[base + t] & 255 : 0;
  AT(t + blockDim.x) = base + t + blockDim.x < n ? in[base + t + blockDim.x] & 255 : 0;
  int off = 1;
  for (int d = m >> 1; d > 0; d >>= 1, off <<= 1) {
    __syncthreads();
    if (t < d) AT(off * (2 * t + 2) - 1) += AT(off * (2 * t + 1) - 1);
  }
  if (t == 0) {
    sums[blockIdx.x] = AT(m - 1);
    AT(m - 1) = 0;
  }
  for (int d = 1; d < m; d <<= 1) {
    off >>= 1;
    __syncthreads();
    if (t < d) {
      int a = off * (2 * t + 1) - 1, b = off * (2 * t + 2) - 1, v = AT(a);
      AT(a) = AT(b);
      AT(b) += v;
    }
  }
  __syncthreads();
  if (base + t < n) out[base + t] = AT(t);
  if (base + t + blockDim.x < n) out[base + t + blockDim.x] = AT(t + blockDim.x);
}
__global__ void look_back(const int* in, int* out, volatile unsigned long long* state,
                          int n) {  // one block after another: each waits for its predecessor only
  __shared__ int part[32];
  __shared__ int before;
  int t = threadIdx.x, i = blockIdx.x * blockDim.x + t, lane = t & 31, v = i < n ? in[i] & 15 : 0,
      s = v;
  for (int o = 1; o < 32; o <<= 1) {
    int u = __shfl_up_sync(~0u, s, o);
    if (lane >= o) s += u;
  }
  if (lane == 31) part[t >> 5] = s;
  __syncthreads();
  if (t == 0) {
    int total = 0;
    for (int w = 0; w < blockDim.x >> 5; ++w) {
      int x = part[w];
      part[w] = total;
      total += x;
    }
    int prev = 0;
    if (blockIdx.x) {
      unsigned long long f;
      do f = state[blockIdx.x - 1];
      while (!(f >> 32));
      prev = (int)f;
    }
    state[blockIdx.x] = 1ull << 32 | (unsigned)(prev + total);
    before = prev;
  }
  __syncthreads();
  if (i < n) out[i] = before + part[t >> 5] + s;
}
template <typename P>
__device__ void compact(const unsigned* in, unsigned* out, int* count, int n,
                        P keep) {  // one block walks the array
  __shared__ int warps[32];
  __shared__ int total;
  int t = threadIdx.x, lane = t & 31, w = t >> 5;
  if (t == 0) total = 0;
  __syncthreads();
  for (int b = 0; b < n; b += blockDim.x) {
    int i = b + t;
    unsigned v = i < n ? in[i] : 0;
    bool k = i < n && keep(v);
    unsigned m = __ballot_sync(~0u, k);
    if (lane == 0) warps[w] = __popc(m);
    __syncthreads();
    if (w == 0) {
      int x = lane < blockDim.x / 32 ? warps[lane] : 0, y = x;
      for (int o = 1; o < 32; o <<= 1) {
        int u = __shfl_up_sync(~0u, y, o);
        if (lane >= o) y += u;
      }
      warps[lane] = total + y - x;
      __syncwarp();
      if (lane == 31) total += y;
    }
    __syncthreads();
    if (k) out[warps[w] + __popc(m & ((1u << lane) - 1))] = v;
    __syncthreads();
  }
  if (t == 0) *count = total;
}
__global__ void compact_odd(const unsigned* in, unsigned* out, int* count, int n) {
  compact(in, out, count, n, [](unsigned v) { return v & 1; });
}
__global__ void compact_rare(const unsigned* in, unsigned* out, int* count, int n) {
  compact(in, out, count, n, [](unsigned v) { return v % 29 == 4; });
}
__global__ void merge_path(const int* a, const int* b, int* out, int na, int nb,
                           int per) {  // a and b ascending: iota and ramp of other steps
  int diag = (blockIdx.x * blockDim.x + threadIdx.x) * per;
  if (diag >= na + nb) return;
  int lo = max(0, diag - nb), hi = min(diag, na);
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] * 3 <= b[diag - 1 - mid] * 2 + 5)
      lo = mid + 1;
    else
      hi = mid;
  }
  int i = lo, j = diag - lo;
  for (int k = 0; k < per && diag + k < na + nb; ++k) {
    bool left = j >= nb || (i < na && a[i] * 3 <= b[j] * 2 + 5);
    out[diag + k] = left ? a[i++] * 3 : b[j++] * 2 + 5;
  }
}
__global__ void segmented_warp(const float* in, const unsigned* heads, float* out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x & 31;
  float v = i < n ? in[i] : 0;
  unsigned h = __ballot_sync(~0u, i < n && (heads[i] & 7) == 0) | 1;
  int start = 31 - __clz(h & (0xffffffffu >> (31 - lane)));
  for (int o = 1; o < 32; o <<= 1) {
    float u = __shfl_up_sync(~0u, v, o);
    if (lane - o >= start) v += u;
  }
  unsigned tails = h >> 1 | 0x80000000u;
  if (i < n && tails >> lane & 1) out[i] = v;
}
__global__ void radix_pass(const unsigned* in, unsigned* out, unsigned* offsets, int n,
                           int shift) {  // one block, 4-bit digits, a counter per thread and digit
  extern __shared__ unsigned short c[];  // 16 x blockDim
  __shared__ unsigned tot[16];
  int t = threadIdx.x, b = blockDim.x, per = (n + b - 1) / b, lo = min(n, t * per),
      hi = min(n, lo + per);
  for (int d = 0; d < 16; ++d) c[d * b + t] = 0;
  for (int i = lo; i < hi; ++i) ++c[(in[i] >> shift & 15) * b + t];
  __syncthreads();
  if (t < 16) {
    unsigned s = 0;
    for (int k = 0; k < b; ++k) {
      unsigned x = c[t * b + k];
      c[t * b + k] = s;
      s += x;
    }
    tot[t] = s;
  }
  __syncthreads();
  if (t == 0) {
    unsigned s = 0;
    for (int d = 0; d < 16; ++d) {
      unsigned x = tot[d];
      tot[d] = s;
      offsets[d] = s;
      s += x;
    }
  }
  __syncthreads();
  for (int i = lo; i < hi; ++i) {
    unsigned v = in[i];
    int d = v >> shift & 15;
    out[tot[d] + c[d * b + t]++] = v;
  }
}
__global__ void odd_even_sort(int* data, int n) {
  extern __shared__ int s[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s[i] = data[blockIdx.x * n + i];
  __syncthreads();
  for (int r = 0; r < n; ++r) {
    int swapped = 0;
    for (int i = 2 * threadIdx.x + (r & 1); i + 1 < n; i += 2 * blockDim.x)
      if (s[i] > s[i + 1]) {
        int x = s[i];
        s[i] = s[i + 1];
        s[i + 1] = x;
        swapped = 1;
      }
    if (__syncthreads_count(swapped) == 0 && r > n / 2) break;
  }
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[blockIdx.x * n + i] = s[i];
}
__global__ void last_block_sum(const float* in, float* partial, float* out, unsigned* ticket,
                               int n) {
  __shared__ float red[128];
  __shared__ bool last;
  float s = 0;
  for (int i = blockIdx.x * 128 + threadIdx.x; i < n; i += gridDim.x * 128) s += in[i];
  red[threadIdx.x] = s;
  __syncthreads();
  for (int h = 64; h; h >>= 1) {
    if (threadIdx.x < h) red[threadIdx.x] += red[threadIdx.x + h];
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    partial[blockIdx.x] = red[0];
    __threadfence();
    last = atomicInc(ticket, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (last) {
    if (threadIdx.x < 32) {
      float v = 0;
      for (int i = threadIdx.x; i < gridDim.x; i += 32) v += ((volatile float*)partial)[i];
      for (int o = 16; o; o >>= 1) v += __shfl_down_sync(~0u, v, o);
      if (threadIdx.x == 0) *out = v;
    }
  }
}
