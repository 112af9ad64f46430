// A pool of the program's own, and the peer that a machine with one GPU does not have.
// output: 42
// output: keeps 1024 bytes, access 3
// output: cudaErrorInvalidDevice, peer 0
// host: failed_call
// launches: 1
#include <cstdio>
__global__ void put(int* out) { *out = 42; }
int main() {
  cudaMemPoolProps properties = {};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  cudaMemPool_t pool;
  cudaMemPoolCreate(&pool, &properties);
  size_t keeps = 1024, kept = 0;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keeps);
  cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &kept);
  cudaMemAccessFlags flags;
  cudaMemPoolGetAccess(&flags, pool, &properties.location);
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *out, host = 0;
  cudaMallocFromPoolAsync((void**)&out, sizeof host, pool, stream);
  put<<<1, 1, 0, stream>>>(out);
  cudaMemcpyAsync(&host, out, sizeof host, cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(out, stream);
  cudaStreamSynchronize(stream);
  cudaMemPoolDestroy(pool);
  std::printf("%d\nkeeps %d bytes, access %d\n", host, int(kept), int(flags));
  int can = 1;
  cudaDeviceCanAccessPeer(&can, 0, 0);
  std::printf("%s, peer %d\n", cudaGetErrorName(cudaDeviceEnablePeerAccess(1, 0)), can);
}
