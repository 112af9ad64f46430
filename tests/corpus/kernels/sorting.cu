// Sorting and its parts: networks in shared memory and across a warp, digits of a radix sort,
// merging.
#define FULL 0xffffffffu

extern "C" __global__ void odd_even_sort(int* data, int n) {
  extern __shared__ int keys[];
  const int t = threadIdx.x;
  for (int i = t; i < n; i += blockDim.x) keys[i] = data[blockIdx.x * n + i];
  __syncthreads();
  for (int round = 0; round < n; ++round) {
    const int i = 2 * t + (round & 1);
    if (i + 1 < n && keys[i] > keys[i + 1]) {
      const int k = keys[i];
      keys[i] = keys[i + 1];
      keys[i + 1] = k;
    }
    __syncthreads();
  }
  for (int i = t; i < n; i += blockDim.x) data[blockIdx.x * n + i] = keys[i];
}

struct Pair {
  unsigned key, value;
};

// 1,024 pairs by 512 threads.
extern "C" __global__ void bitonic_pairs(const unsigned* keys, Pair* out) {
  __shared__ Pair s[1024];
  const unsigned t = threadIdx.x, base = blockIdx.x * 1024;
  s[t] = {keys[base + t], t};
  s[t + 512] = {keys[base + t + 512], t + 512};
  for (unsigned size = 2; size <= 1024; size <<= 1) {
    for (unsigned stride = size / 2; stride > 0; stride >>= 1) {
      __syncthreads();
      const unsigned at = 2 * t - (t & (stride - 1));
      const bool up = (at & size) == 0;
      const Pair a = s[at], b = s[at + stride];
      if ((a.key > b.key) == up) {
        s[at] = b;
        s[at + stride] = a;
      }
    }
  }
  __syncthreads();
  out[base + t] = s[t];
  out[base + t + 512] = s[t + 512];
}

// 32 values in the lanes of a warp.
extern "C" __global__ void warp_bitonic(const float* in, float* out) {
  const int lane = threadIdx.x & 31, i = blockIdx.x * blockDim.x + threadIdx.x;
  float v = in[i];
#pragma unroll
  for (int size = 2; size <= 32; size <<= 1) {
#pragma unroll
    for (int stride = size >> 1; stride > 0; stride >>= 1) {
      const float other = __shfl_xor_sync(FULL, v, stride);
      const bool take_small = ((lane & size) == 0) == ((lane & stride) == 0);
      v = take_small ? fminf(v, other) : fmaxf(v, other);
    }
  }
  out[i] = v;
}

// How many keys of the block have each 4-bit digit: counters of bytes, a column per thread.
extern "C" __global__ void digit_counts(const unsigned* keys, unsigned* counts, int n, int shift) {
  __shared__ unsigned char mine[16][128];
  const int t = threadIdx.x;
  for (int d = 0; d < 16; ++d) mine[d][t] = 0;
  for (int i = 0; i < 8; ++i) {
    const int at = (blockIdx.x * 8 + i) * 128 + t;
    if (at < n) ++mine[(keys[at] >> shift) & 15][t];
  }
  __syncthreads();
  const int digit = t / 8, part = t % 8;
  unsigned sum = 0;
  for (int i = 0; i < 16; ++i) sum += mine[digit][part * 16 + i];
  for (int o = 4; o > 0; o >>= 1) sum += __shfl_down_sync(FULL, sum, o, 8);
  if (part == 0) counts[digit * gridDim.x + blockIdx.x] = sum;
}

// The same digits by matching within warps, one atomic per group of equal digits.
extern "C" __global__ void digit_match(const unsigned* keys, unsigned* counts, int n, int shift) {
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads();
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < n) {
    const unsigned digit = (keys[at] >> shift) & 255;
    const unsigned peers = __match_any_sync(__activemask(), digit);
    const int leader = __ffs(peers) - 1;
    if ((int)(threadIdx.x & 31) == leader) atomicAdd(&bins[digit], __popc(peers));
  }
  __syncthreads();
  if (bins[threadIdx.x]) atomicAdd(&counts[threadIdx.x], bins[threadIdx.x]);
}

__device__ int block_exclusive(int flag, int* warps, int* total) {
  const unsigned ballot = __ballot_sync(FULL, flag);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) warps[warp] = __popc(ballot);
  __syncthreads();
  int before = 0, all = 0;
  for (int w = 0; w < (int)(blockDim.x >> 5); ++w) {
    if (w == warp) before = all;
    all += warps[w];
  }
  __syncthreads();
  *total = all;
  return before + __popc(ballot & ((1u << lane) - 1));
}

// All 16 bits of the block's keys by splitting on one bit after the other.
extern "C" __global__ void split_sort(const unsigned short* in, unsigned short* out) {
  __shared__ unsigned short s[256];
  __shared__ int warps[8];
  const int t = threadIdx.x;
  unsigned key = in[blockIdx.x * 256 + t];
  for (int bit = 0; bit < 16; ++bit) {
    const int one = key >> bit & 1;
    int zeros;
    const int rank = block_exclusive(!one, warps, &zeros);
    s[one ? zeros + t - rank : rank] = key;
    __syncthreads();
    key = s[t];
    __syncthreads();
  }
  out[blockIdx.x * 256 + t] = key;
}

// Merges two ascending sequences: each thread finds its diagonal by bisection, then merges 8.
extern "C" __global__ void merge_path(const int* a, int na, const int* b, int nb, int* out) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 8;
  if (first >= na + nb) return;
  int low = max(0, first - nb), high = min(first, na);
  while (low < high) {
    const int mid = (low + high) >> 1;
    if (3 * a[mid] <= 2 * b[first - 1 - mid]) {
      low = mid + 1;
    } else {
      high = mid;
    }
  }
  int i = low, j = first - low;
#pragma unroll
  for (int k = 0; k < 8; ++k) {
    if (first + k >= na + nb) break;
    const bool take_a = j >= nb || (i < na && 3 * a[i] <= 2 * b[j]);
    out[first + k] = take_a ? 3 * a[i++] : 2 * b[j++];
  }
}

// Rank by counting, with ties broken by place: keys of 8 bits, compared as vectors of four.
extern "C" __global__ void rank_sort(const uchar4* keys, unsigned char* out, int vectors) {
  extern __shared__ uchar4 tile[];
  for (int i = threadIdx.x; i < vectors; i += blockDim.x) tile[i] = keys[i];
  __syncthreads();
  const int me = blockIdx.x * blockDim.x + threadIdx.x;
  if (me >= vectors * 4) return;
  const unsigned char key = reinterpret_cast<const unsigned char*>(tile)[me];
  int rank = 0;
  for (int i = 0; i < vectors; ++i) {
    const uchar4 v = tile[i];
    rank += v.x < key || (v.x == key && 4 * i < me);
    rank += v.y < key || (v.y == key && 4 * i + 1 < me);
    rank += v.z < key || (v.z == key && 4 * i + 2 < me);
    rank += v.w < key || (v.w == key && 4 * i + 3 < me);
  }
  out[rank] = key;
}
