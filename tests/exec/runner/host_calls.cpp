#include <cstdio>
#include <cstring>

#include "runtime/cuda_abi.h"

// Calls of the runtime library that need no compiler for device code: linked with the stand-in
// itself, under the symbol versions of one release of CUDA.
using namespace tilescope::runtime;

extern "C" {
Error cudaMalloc(void** pointer, std::size_t bytes);
Error cudaMallocHost(void** pointer, std::size_t bytes);
Error cudaFree(void* pointer);
Error cudaFreeHost(void* pointer);
Error cudaMemset(void* to, int value, std::size_t bytes);
Error cudaMemcpy(void* to, const void* from, std::size_t bytes, int kind);
Error cudaGetLastError();
const char* cudaGetErrorName(Error error);
Error cudaRuntimeGetVersion(int* version);
Error cudaGetDeviceProperties_v2(Properties12* properties, int device);
}

int main() {
  int version = 0;
  cudaRuntimeGetVersion(&version);
  static Properties12 properties;
  cudaGetDeviceProperties_v2(&properties, 0);
  std::printf("%d %s %d.%d\n", version, properties.name, properties.major, properties.minor);
  void* device = nullptr;
  void* host = nullptr;
  cudaMalloc(&device, 100);
  cudaMallocHost(&host, 100);
  cudaMemset(device, 7, 100);
  cudaMemcpy(host, device, 100, kDefault);
  std::printf("%d\n", static_cast<const char*>(host)[99]);
  std::printf("%s\n", cudaGetErrorName(cudaMemcpy(host, device, 101, kDeviceToHost)));
  const Error first = cudaGetLastError();
  const Error then = cudaGetLastError();
  std::printf("%s %s\n", cudaGetErrorName(first), cudaGetErrorName(then));
  cudaFreeHost(host);
  cudaFree(device);
  std::printf("%s\n", cudaGetErrorName(cudaFree(device)));
}
