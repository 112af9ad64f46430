// Memory is freed by the call that belongs to it. An array on the stack can be registered, and a
// __managed__ variable is the host's too, wherever it lies.
// output: wrong ways: 1 1 713 1
// output: right ways: 0 0 0 0
// output: sums 9 30
// host: failed_call
// host: failed_call
// host: failed_call
// host: failed_call
// host: failed_call
// host: failed_call
// host text: allocation 1 (64 B) cannot be freed this way: call cudaFree()
#include <cstdio>

__managed__ int factor = 1;
__managed__ int sum = 0;

__global__ void scale(const int* values) { atomicAdd(&sum, values[threadIdx.x] * factor); }

int main() {
  int* device = nullptr;
  int* pinned = nullptr;
  int own[1024] = {1, 2, 3};
  cudaMalloc(&device, 64);
  cudaMallocHost(&pinned, 64);
  const int registered = cudaHostRegister(own, sizeof own, 0);
  const int wrong[] = {cudaFreeHost(device), cudaFree(pinned), cudaHostUnregister(pinned),
                       cudaMemcpy(nullptr, device, 4, cudaMemcpyDeviceToHost)};
  std::printf("wrong ways: %d %d %d %d\n", wrong[0], wrong[1], wrong[2], wrong[3]);
  cudaGetLastError();
  factor = 3;
  int* seen = nullptr;
  cudaHostGetDevicePointer(&seen, own, 0);
  scale<<<1, 2>>>(seen);
  cudaDeviceSynchronize();
  const int first = sum;
  own[1] = 6;
  scale<<<1, 2>>>(seen);
  cudaDeviceSynchronize();
  const int second = sum;
  const int right[] = {registered, cudaHostUnregister(own), cudaFreeHost(pinned), cudaFree(device)};
  std::printf("right ways: %d %d %d %d\n", right[0], right[1], right[2], right[3]);
  std::printf("sums %d %d\n", first, second);
}
