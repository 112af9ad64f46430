#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

template <int T>
__global__ void tile_sums(const float* in, float* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<T>(block);
  float v = 0;
  for (int i = cg::this_grid().thread_rank(); i < n; i += cg::this_grid().num_threads()) v += in[i];
  float s = cg::reduce(tile, v, cg::plus<float>());
  if (tile.thread_rank() == 0) out[blockIdx.x * (blockDim.x / T) + tile.meta_group_rank()] = s;
}
template __global__ void tile_sums<4>(const float*, float*, int);
template __global__ void tile_sums<16>(const float*, float*, int);
template __global__ void tile_sums<32>(const float*, float*, int);

__global__ void filter_coalesced(const int* in, int* out, int* count, int n, int below) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int v = in[i] & 255;
  if (v < below) {
    cg::coalesced_group g = cg::coalesced_threads();
    int at = 0;
    if (g.thread_rank() == 0) at = atomicAdd(count, (int)g.size());
    at = g.shfl(at, 0) + g.thread_rank();
    out[at] = v;
  }
}

__global__ void labelled_counts(const unsigned* keys, unsigned* counts, int n) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    unsigned k = keys[i] % 11;
    auto active = cg::coalesced_threads();
    auto same = cg::labeled_partition(active, k);
    if (same.thread_rank() == 0) atomicAdd(&counts[k], same.num_threads());
  }
  if (warp.thread_rank() == 0) counts[16] = 1;
}

__global__ void odd_even(const int* in, int* evens, int* odds) {
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  int v = in[blockIdx.x * blockDim.x + threadIdx.x];
  auto half = cg::binary_partition(warp, v & 1);
  int sum = cg::reduce(half, v & 1023, cg::plus<int>());
  if (half.thread_rank() == 0) {
    if (v & 1)
      odds[blockIdx.x * 8 + warp.meta_group_rank()] = sum;
    else
      evens[blockIdx.x * 8 + warp.meta_group_rank()] = sum;
  }
}

__global__ void tile_scans(const int* in, int* out, int n) {
  auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = i < n ? in[i] & 63 : 0;
  int inc = cg::inclusive_scan(tile, v);
  int exc = cg::exclusive_scan(tile, v, cg::bit_xor<int>());
  int top = cg::inclusive_scan(tile, v, cg::greater<int>());
  if (i < n) out[i] = inc * 64 + exc + top;
}

__global__ void min_max_any(const unsigned* in, unsigned* out) {
  auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  unsigned v = in[cg::this_grid().thread_rank()];
  unsigned lo = cg::reduce(tile, v, cg::less<unsigned>()),
           hi = cg::reduce(tile, v, cg::greater<unsigned>());
  unsigned orr = cg::reduce(tile, v, cg::bit_or<unsigned>());
  bool any = tile.any(v & 1), all = tile.all(v & 2);
  unsigned b = tile.ballot(v & 4), m = tile.match_any(v & 3);
  out[cg::this_grid().thread_rank()] = lo ^ hi ^ orr ^ any ^ (all << 1) ^ b ^ m;
}

__global__ void staged_copy(const float* in, float* out, int per_block) {
  extern __shared__ float tile[];
  auto block = cg::this_thread_block();
  cg::memcpy_async(block, tile, in + blockIdx.x * per_block, sizeof(float) * per_block);
  cg::wait(block);
  for (int i = block.thread_rank(); i < per_block; i += block.num_threads())
    out[blockIdx.x * per_block + i] = tile[per_block - 1 - i] * 2;
}

__global__ void tile_of_64(const int* in, int* out) {
  __shared__ cg::block_tile_memory<256> memory;
  auto block = cg::this_thread_block(memory);
  auto tile = cg::tiled_partition<64>(block);
  int v = in[blockIdx.x * blockDim.x + threadIdx.x] & 255;
  int s = cg::reduce(tile, v, cg::plus<int>());
  tile.sync();
  out[blockIdx.x * blockDim.x + threadIdx.x] = tile.shfl(v, 3) + s;
}

__global__ void bitonic_tile(int* data) {
  auto tile = cg::tiled_partition<32>(cg::this_thread_block());
  int i = blockIdx.x * blockDim.x + threadIdx.x, r = tile.thread_rank(), v = data[i];
  for (int k = 2; k <= 32; k <<= 1)
    for (int j = k >> 1; j > 0; j >>= 1) {
      int o = tile.shfl_xor(v, j);
      bool up = (r & k) == 0, low = (r & j) == 0;
      v = up == low ? min(v, o) : max(v, o);
    }
  data[i] = v;
}

__global__ void invoke_one(const int* in, int* out) {
  auto g = cg::coalesced_threads();
  if (in[threadIdx.x] & 1) {
    auto h = cg::coalesced_threads();
    int got = cg::invoke_one_broadcast(h, [&] { return atomicAdd(out, 5) * 0 + 7; });
    out[1 + threadIdx.x] = got + h.num_threads() + g.num_threads();
  }
}
