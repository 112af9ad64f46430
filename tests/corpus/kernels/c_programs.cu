// Programs that share what a cluster's blocks hold: a histogram, sums, a transpose, a product.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
namespace cg = cooperative_groups;

// Bins are spread over the cluster's blocks (CUDA programming guide, "Distributed shared memory").
extern "C" __global__ void __cluster_dims__(4, 1, 1) histogram(const int* in, int* out, int n) {
  __shared__ int bins[256];
  cg::cluster_group cluster = cg::this_cluster();
  for (int i = threadIdx.x; i < 256; i += blockDim.x) bins[i] = 0;
  cluster.sync();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const int bin = in[i] & 1023;
    atomicAdd(cluster.map_shared_rank(bins, bin >> 8) + (bin & 255), 1);
  }
  cluster.sync();
  for (int i = threadIdx.x; i < 256; i += blockDim.x)
    atomicAdd(&out[cluster.block_rank() * 256 + i], bins[i]);
}

// Each block sums a part; block 0 of the cluster collects the parts.
extern "C" __global__ void __cluster_dims__(8, 1, 1) sums(const int* in, int* out, int n) {
  __shared__ int parts[32];
  __shared__ int part;
  cg::cluster_group cluster = cg::this_cluster();
  cg::thread_block block = cg::this_thread_block();
  auto warp = cg::tiled_partition<32>(block);
  int sum = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += in[i] & 0xffff;
  sum = cg::reduce(warp, sum, cg::plus<int>());
  if (warp.thread_rank() == 0) parts[warp.meta_group_rank()] = sum;
  block.sync();
  if (threadIdx.x == 0) {
    part = 0;
    for (unsigned w = 0; w < blockDim.x / 32; ++w) part += parts[w];
  }
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x < cluster.num_blocks())
    atomicAdd(out, *cluster.map_shared_rank(&part, threadIdx.x));
  cluster.sync();
}

// A square of 2 x 2 blocks transposes: block (x, y) takes the tile of block (y, x) by columns.
extern "C" __global__ void __cluster_dims__(2, 2, 1) transposed(const float* in, float* out,
                                                                int n) {
  __shared__ float tile[32][33];
  cg::cluster_group cluster = cg::this_cluster();
  const int x = blockIdx.x * 32 + threadIdx.x;
  const int y = blockIdx.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8) tile[threadIdx.y + r][threadIdx.x] = in[(y + r) * n + x];
  cluster.sync();
  const dim3 at = cluster.block_index();
  const float* other = cluster.map_shared_rank(&tile[0][0], at.x * 2 + at.y);
  // The cluster's own square of the result.
  const int to_x = blockIdx.y / 2 * 64 + at.x * 32 + threadIdx.x;
  const int to_y = blockIdx.x / 2 * 64 + at.y * 32 + threadIdx.y;
  for (int r = 0; r < 32; r += 8)
    out[(to_y + r) * n + to_x] = other[threadIdx.x * 33 + threadIdx.y + r];
  cluster.sync();
}

// C = A B: a block loads the part of A that its row of the cluster shares, and of B its column, and
// reads the rest from its neighbours.
extern "C" __global__ void __cluster_dims__(2, 2, 1) product(const float* a, const float* b,
                                                             float* c, int n) {
  __shared__ float rows[16][33];
  __shared__ float cols[32][17];
  cg::cluster_group cluster = cg::this_cluster();
  const dim3 at = cluster.block_index();
  const int row = blockIdx.y * 16 + threadIdx.y;
  const int col = blockIdx.x * 16 + threadIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 64) {
    for (int i = 0; i < 32; i += 16) {
      rows[threadIdx.y][threadIdx.x + i] = a[row * n + k + at.x * 32 + threadIdx.x + i];
      cols[threadIdx.y + i][threadIdx.x] = b[(k + at.y * 32 + threadIdx.y + i) * n + col];
    }
    cluster.sync();
    for (int half = 0; half < 2; ++half) {
      const float* left = cluster.map_shared_rank(&rows[0][0], at.y * 2 + half);
      const float* up = cluster.map_shared_rank(&cols[0][0], half * 2 + at.x);
      for (int i = 0; i < 32; ++i) sum += left[threadIdx.y * 33 + i] * up[i * 17 + threadIdx.x];
    }
    cluster.sync();
  }
  c[row * n + col] = sum;
}
