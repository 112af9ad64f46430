// output: cudaErrorInvalidConfiguration cudaErrorInvalidValue cudaErrorInvalidConfiguration cudaSuccess
#include <cstdio>

extern __shared__ int dynamic[];
__global__ void none(int* p) {
  if (p != nullptr) *p = dynamic[0];
}

int main() {
  none<<<1, 2000>>>(nullptr);
  const cudaError_t threads = cudaGetLastError();
  none<<<1, 32, 64 << 10>>>(nullptr);
  const cudaError_t shared = cudaGetLastError();
  none<<<0, 32>>>(nullptr);
  const cudaError_t grid = cudaGetLastError();
  cudaFuncSetAttribute(none, cudaFuncAttributeMaxDynamicSharedMemorySize, 64 << 10);
  none<<<1, 32, 64 << 10>>>(nullptr);
  printf("%s %s %s %s\n", cudaGetErrorName(threads), cudaGetErrorName(shared),
         cudaGetErrorName(grid), cudaGetErrorName(cudaGetLastError()));
}
