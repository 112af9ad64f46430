// Device code of two files: functions, variables and kernels of each, and names that both have.
// nvcc: -rdc=true tests/exec/linked/second_file.cu
// output: first file
// output: 3 47
// output: second file
// output: 43
// launches: 2
#include <cstdio>
extern __device__ int offset_of_all;
__device__ int from_second(int value);
static __device__ int own() { return 2; }
template <class T>
__device__ T twice(T value) {
  return value + value;
}
__global__ void first(int* out) {
  printf("first %s\n", "file");
  out[0] = own() + 1;
  out[1] = from_second(twice(0) + 3);
}
void launch_second(int* out);
int main() {
  int *out, host[2];
  cudaMalloc(&out, sizeof host);
  first<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%d %d\n", host[0], host[1]);
  launch_second(out);
  cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("%d\n", host[0]);
  cudaFree(out);
}
