// output: 9
#include <cstdio>
#include <cstdlib>

__global__ void store(int* p) { p[100] = 9; }

int main() {
  int* host = static_cast<int*>(malloc(1000));
  int* device;
  cudaHostRegister(host, 1000, cudaHostRegisterDefault);
  cudaHostGetDevicePointer(&device, host, 0);
  store<<<1, 1>>>(device);
  cudaDeviceSynchronize();
  printf("%d\n", host[100]);
  cudaHostUnregister(host);
  free(host);
}
