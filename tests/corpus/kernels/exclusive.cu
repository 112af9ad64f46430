#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
// tiles of kLanes lanes, the warp together
template <int kLanes>
__global__ void tile_max(const unsigned* in, unsigned* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned m = (kLanes == 32 ? ~0u : ((1u << kLanes) - 1)) << (threadIdx.x % 32 / kLanes * kLanes);
  out[t] = __reduce_max_sync(m, in[t]);
}
// the lanes of one key together, as many groups as there are keys
template <int kKeys>
__global__ void keyed_sum(const unsigned* in, unsigned* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned m = __match_any_sync(~0u, in[t] % kKeys);
  out[t] = __reduce_add_sync(m, in[t] >> 9);
}
// interleaved groups: lane % 4
__global__ void interleaved_or(const unsigned* in, unsigned* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned m = 0x11111111u << (threadIdx.x % 4);
  out[t] = __reduce_or_sync(m, in[t]);
}
// ballots of tiles, two after one another
__global__ void two_ballots(const unsigned* in, unsigned* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned m = 0xffffu << (threadIdx.x & 16);
  unsigned b = __ballot_sync(m, in[t] & 1);
  b ^= __ballot_sync(m, in[t] & 2);
  out[t] = b;
}
// memory accesses between: what is issued a group
__global__ void between(const unsigned* in, unsigned* out, int n) {
  __shared__ unsigned s[256];
  const int t = threadIdx.x;
  const unsigned m = 0xffu << (t & 24);
  unsigned v = in[blockIdx.x * blockDim.x + t];
  for (int i = 0; i < n; ++i) {
    v = __reduce_add_sync(m, v) + i;
    s[t] = v;
    __syncwarp(m);
    v ^= s[t ^ 1];
    __syncwarp(m);
  }
  out[blockIdx.x * blockDim.x + t] = v;
}
// in one side of a branch
__global__ void in_branch(const unsigned* in, unsigned* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned v = in[t];
  if (threadIdx.x % 32 < 24) {
    const unsigned m = 0xffu << (threadIdx.x & 24);
    v = __reduce_min_sync(m, v);
  } else {
    v = v * 3 + 1;
  }
  out[t] = v;
}
__global__ void cg_reduce_16(const int* in, int* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = cg::reduce(tile, in[t], cg::plus<int>());
}
__global__ void cg_any_8(const int* in, int* out) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[t];
  out[t] = tile.any(v > 1900000000) ? v : -v;
}
__global__ void cg_match_16(const int* in, unsigned* out) {
  const auto tile = cg::tiled_partition<16>(cg::this_thread_block());
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = tile.match_any(in[t] % 3);
}
__global__ void cg_labels(const unsigned* keys, int* sums) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const auto same = cg::labeled_partition(cg::coalesced_threads(), keys[t] % 7);
  sums[t] = cg::reduce(same, static_cast<int>(keys[t] >> 8), cg::plus<int>());
}
__global__ void cg_scan_8(const int* in, int* out) {
  const auto tile = cg::tiled_partition<8>(cg::this_thread_block());
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = cg::inclusive_scan(tile, in[t], cg::plus<int>());
}
// a loop whose trip count differs from tile to tile
__global__ void tile_trips(const unsigned* in, unsigned* out) {
  const int t = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned m = 0xffu << (threadIdx.x & 24);
  unsigned v = in[t];
  for (unsigned i = 0; i <= (threadIdx.x >> 3) % 3; ++i) v = __reduce_add_sync(m, v ^ i) + threadIdx.x;
  out[t] = v;
}
