// output: 1 0 3 2
#include <cooperative_groups.h>
#include <cstdio>

// Each block reads the number that the other block of its cluster has in shared memory.
__global__ void exchange(int* out) {
  __shared__ int mine;
  mine = blockIdx.x;
  auto cluster = cooperative_groups::this_cluster();
  cluster.sync();
  out[blockIdx.x] = *cluster.map_shared_rank(&mine, 1 - cluster.block_rank());
  cluster.sync();
}

int main() {
  int *out, host[4];
  cudaMalloc(&out, sizeof host);
  cudaLaunchConfig_t config = {};
  config.gridDim = 4;
  config.blockDim = 1;
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = 2;
  attribute.val.clusterDim.y = 1;
  attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, exchange, out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d %d %d\n", host[0], host[1], host[2], host[3]);
  cudaFree(out);
}
