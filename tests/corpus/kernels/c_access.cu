// Accesses to the shared memory of a cluster's blocks: strides, widths, stores and atomics, to another
// block's (OTHER blocks further; 0: the own one by its mapped address).
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

#ifndef OTHER
#define OTHER 1
#endif

// Each lane reads the word `stride` words after its neighbour's, `rounds` times.
extern "C" __global__ void __cluster_dims__(2, 1, 1) far_loads(const int* in, int* out, int stride,
                                                               int rounds) {
  __shared__ int words[2048];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) words[i] = in[blockIdx.x * 2048 + i];
  cluster.sync();
  const int* far =
      cluster.map_shared_rank(words, (cluster.block_rank() + OTHER) % cluster.num_blocks());
  int sum = 0;
  for (int r = 0; r < rounds; ++r) sum = sum * 3 + far[(threadIdx.x * stride + r) % 2048];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  cluster.sync();
}

// 8 and 16 bytes of each lane there and back.
extern "C" __global__ void __cluster_dims__(2, 1, 1) far_vectors(const int4* in, int4* out) {
  __shared__ int4 quads[128];
  __shared__ int2 pairs[128];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x;
  quads[t] = in[blockIdx.x * 128 + t];
  pairs[t] = make_int2(0, 0);
  cluster.sync();
  const int other = (cluster.block_rank() + OTHER) % cluster.num_blocks();
  const int4 quad = cluster.map_shared_rank(quads, other)[127 - t];
  cluster.map_shared_rank(pairs, other)[t] = make_int2(quad.x + quad.y, quad.z - quad.w);
  cluster.sync();
  const int2 pair = cluster.map_shared_rank(pairs, other)[t ^ 1];
  cluster.sync();
  cluster.map_shared_rank(quads, other)[t] = make_int4(pair.x, pair.y, quad.x, quad.w);
  cluster.sync();
  out[blockIdx.x * 128 + t] = quads[t];
}

// Stores of bytes, halves and words into another block, some lanes switched off.
extern "C" __global__ void __cluster_dims__(4, 1, 1) far_stores(const int* in, int* out, int n) {
  __shared__ unsigned char bytes[128];
  __shared__ short halves[128];
  __shared__ int words[256];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x;
  bytes[t] = 0;
  halves[t] = 0;
  words[t] = words[t + 128] = 0;
  cluster.sync();
  const int other = (cluster.block_rank() + OTHER) % cluster.num_blocks();
  const int value = in[blockIdx.x * 128 + t];
  if (t < n) {
    cluster.map_shared_rank(bytes, other)[t] = static_cast<unsigned char>(value);
    cluster.map_shared_rank(halves, other)[t * 3 % 128] = static_cast<short>(value);
    cluster.map_shared_rank(words, other)[t * 2] = value;
  }
  cluster.sync();
  out[blockIdx.x * 128 + t] = bytes[t] + halves[t] * 5 + words[2 * t] * 7 + words[t];
}

// Atomics of every kind that the hardware has, with `one_of` words for the lanes to share.
extern "C" __global__ void __cluster_dims__(2, 1, 1) far_atomics(const int* in, int* out,
                                                                 int one_of) {
  __shared__ int sum[64];
  __shared__ int highest[64];
  __shared__ unsigned bits[64];
  __shared__ unsigned long long wide[64];
  __shared__ int last[64];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x;
  if (t < 64) {
    sum[t] = 0;
    highest[t] = -1000000;
    bits[t] = 0;
    wide[t] = 0;
    last[t] = -1;
  }
  cluster.sync();
  const int other = (cluster.block_rank() + OTHER) % cluster.num_blocks();
  const int value = in[blockIdx.x * blockDim.x + t] % 1000;
  const int at = t % one_of;
  atomicAdd(cluster.map_shared_rank(sum, other) + at, value);
  atomicMax(cluster.map_shared_rank(highest, other) + at, value);
  atomicOr(cluster.map_shared_rank(bits, other) + at, 1u << (value & 31));
  atomicAdd(cluster.map_shared_rank(wide, other) + at, static_cast<unsigned long long>(t));
  atomicCAS(cluster.map_shared_rank(last, other) + at, -1, at * 3);
  cluster.sync();
  if (t < 64)
    out[blockIdx.x * 64 + t] =
        sum[t] + highest[t] + static_cast<int>(bits[t] + wide[t]) + last[t];
  cluster.sync();
}

// Whole numbers as floats: any order of adding gives the same.
extern "C" __global__ void __cluster_dims__(2, 1, 1) far_float_sums(const int* in, float* out,
                                                                    int one_of) {
  __shared__ float sum[64];
  cg::cluster_group cluster = cg::this_cluster();
  const int t = threadIdx.x;
  if (t < 64) sum[t] = 0;
  cluster.sync();
  const int other = (cluster.block_rank() + OTHER) % cluster.num_blocks();
  atomicAdd(cluster.map_shared_rank(sum, other) + t % one_of,
            static_cast<float>(in[blockIdx.x * blockDim.x + t] & 255));
  cluster.sync();
  if (t < 64) out[blockIdx.x * 64 + t] = sum[t];
}
