// Memory pools of the driver library, and whether a stream is captured.
// output: keeps 65536 bytes, 0 used, accessible 3
// output: 0 wrong
// output: not captured, captured
// launches: 1
#include <cuda.h>

#include <cstdio>
#include <vector>

__global__ void fill(int* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 3 * i;
}

int main() {
  constexpr int n = 300;
  cudaFree(nullptr);
  CUmemoryPool pool = nullptr;
  CUmemPoolProps properties = {};
  properties.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, 0};
  cuMemPoolCreate(&pool, &properties);
  cuuint64_t kept = 65536, used = 1;
  cuMemPoolSetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept);
  kept = 0;
  cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_RELEASE_THRESHOLD, &kept);
  cuMemPoolGetAttribute(pool, CU_MEMPOOL_ATTR_USED_MEM_CURRENT, &used);
  CUmemAccess_flags access = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  cuMemPoolGetAccess(&access, pool, &properties.location);
  std::printf("keeps %llu bytes, %llu used, accessible %d\n", static_cast<unsigned long long>(kept),
              static_cast<unsigned long long>(used), static_cast<int>(access));
  CUdeviceptr place = 0;
  cuMemAllocFromPoolAsync(&place, n * sizeof(int), pool, nullptr);
  fill<<<2, 256>>>(reinterpret_cast<int*>(place), n);
  std::vector<int> back(n);
  cuMemcpyDtoH(back.data(), place, n * sizeof(int));
  int wrong = 0;
  for (int i = 0; i < n; ++i) wrong += back[i] != 3 * i;
  std::printf("%d wrong\n", wrong);
  cuMemFreeAsync(place, nullptr);
  cuMemPoolDestroy(pool);

  cudaStream_t stream;
  cudaGraph_t graph;
  cudaStreamCreate(&stream);
  cudaStreamCaptureStatus before, during;
  unsigned long long id = 0;
  cudaStreamGetCaptureInfo(stream, &before, &id);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaStreamGetCaptureInfo(stream, &during, &id);
  cudaStreamEndCapture(stream, &graph);
  std::printf("%s, %s\n", before == cudaStreamCaptureStatusNone ? "not captured" : "captured",
              during == cudaStreamCaptureStatusActive ? "captured" : "not captured");
  cudaGraphDestroy(graph);
  cudaStreamDestroy(stream);
}
