#include <cub/block/block_discontinuity.cuh>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_histogram.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cub/warp/warp_merge_sort.cuh>
#include <cub/warp/warp_reduce.cuh>
#include <cub/warp/warp_scan.cuh>

template <int B, int I, cub::BlockReduceAlgorithm A>
__global__ void cub_reduce(const int* in, int* out) {
  typedef cub::BlockReduce<int, B, A> R;
  __shared__ typename R::TempStorage temp;
  int items[I];
  cub::LoadDirectStriped<B>(threadIdx.x, in + blockIdx.x * B * I, items);
  int s = R(temp).Sum(items);
  if (threadIdx.x == 0) out[blockIdx.x] = s;
}

template <int B, int I>
__global__ void cub_scan(const int* in, int* out, int n) {
  typedef cub::BlockLoad<int, B, I, cub::BLOCK_LOAD_TRANSPOSE> Load;
  typedef cub::BlockStore<int, B, I, cub::BLOCK_STORE_TRANSPOSE> Store;
  typedef cub::BlockScan<int, B> Scan;
  __shared__ union {
    typename Load::TempStorage load;
    typename Store::TempStorage store;
    typename Scan::TempStorage scan;
  } temp;
  int items[I], total;
  int base = blockIdx.x * B * I;
  Load(temp.load).Load(in + base, items, n - base, 0);
  __syncthreads();
  Scan(temp.scan).ExclusiveSum(items, items, total);
  __syncthreads();
  Store(temp.store).Store(out + base, items, n - base);
  if (threadIdx.x == 0) out[n + blockIdx.x] = total;
}

template <int B, int I>
__global__ void cub_sort(unsigned* keys, int* values) {
  typedef cub::BlockRadixSort<unsigned, B, I, int> Sort;
  __shared__ typename Sort::TempStorage temp;
  unsigned k[I];
  int v[I];
  int base = blockIdx.x * B * I;
  cub::LoadDirectBlocked(threadIdx.x, keys + base, k);
  cub::LoadDirectBlocked(threadIdx.x, values + base, v);
  Sort(temp).Sort(k, v, 0, 16);
  cub::StoreDirectStriped<B>(threadIdx.x, keys + base, k);
  cub::StoreDirectStriped<B>(threadIdx.x, values + base, v);
}

template <int B, int I>
__global__ void cub_histogram(const unsigned char* in, unsigned* out) {
  typedef cub::BlockHistogram<unsigned char, B, I, 64, cub::BLOCK_HISTO_ATOMIC> H;
  __shared__ typename H::TempStorage temp;
  __shared__ unsigned bins[64];
  unsigned char items[I];
  cub::LoadDirectStriped<B>(threadIdx.x, in + blockIdx.x * B * I, items);
  for (int i = 0; i < I; ++i) items[i] &= 63;
  H(temp).Histogram(items, bins);
  __syncthreads();
  if (threadIdx.x < 64) out[blockIdx.x * 64 + threadIdx.x] = bins[threadIdx.x];
}

struct NotEqual {
  __device__ bool operator()(int a, int b) const { return a != b; }
};
template <int B>
__global__ void cub_heads(const int* in, int* heads, int* exchanged) {
  typedef cub::BlockDiscontinuity<int, B> D;
  typedef cub::BlockExchange<int, B, 4> X;
  __shared__ union {
    typename D::TempStorage d;
    typename X::TempStorage x;
  } temp;
  int v[4], f[4];
  for (int i = 0; i < 4; ++i) v[i] = in[(blockIdx.x * B + threadIdx.x) * 4 + i] & 1;
  D(temp.d).FlagHeads(f, v, NotEqual());
  __syncthreads();
  X(temp.x).BlockedToStriped(v, v);
  for (int i = 0; i < 4; ++i) {
    heads[(blockIdx.x * B + threadIdx.x) * 4 + i] = f[i];
    exchanged[blockIdx.x * 4 * B + i * B + threadIdx.x] = v[i];
  }
}

struct Less {
  __device__ bool operator()(int a, int b) const { return a < b; }
};
template <int B, int I>
__global__ void cub_merge_sort(int* keys) {
  typedef cub::BlockMergeSort<int, B, I> S;
  __shared__ typename S::TempStorage temp;
  int k[I];
  for (int i = 0; i < I; ++i) k[i] = keys[(blockIdx.x * B + threadIdx.x) * I + i];
  S(temp).Sort(k, Less());
  for (int i = 0; i < I; ++i) keys[(blockIdx.x * B + threadIdx.x) * I + i] = k[i];
}

__global__ void cub_warp(const float* in, float* out, int valid) {
  typedef cub::WarpReduce<float> R;
  typedef cub::WarpScan<float, 16> S;
  __shared__ typename R::TempStorage r[4];
  __shared__ typename S::TempStorage s[8];
  int i = blockIdx.x * blockDim.x + threadIdx.x, w = threadIdx.x / 32;
  float v = in[i], scanned;
  float top = R(r[w]).Reduce(
      v, [](float a, float b) { return a > b ? a : b; }, valid);
  S(s[threadIdx.x / 16]).InclusiveSum(v, scanned);
  out[i] = scanned + (threadIdx.x % 32 ? 0 : top);
}

struct Pair {
  int key;
  float value;
};
struct PairAdd {
  __device__ Pair operator()(const Pair& a, const Pair& b) const {
    return {a.key + b.key, b.key ? b.value : a.value + b.value};
  }
};
template <int B>
__global__ void cub_segmented(const int* flags, const float* in, float* out) {
  typedef cub::BlockScan<Pair, B> S;
  __shared__ typename S::TempStorage temp;
  int i = blockIdx.x * B + threadIdx.x;
  Pair p = {(flags[i] & 7) == 0, in[i]}, r;
  S(temp).InclusiveScan(p, r, PairAdd());
  out[i] = r.value + r.key;
}
