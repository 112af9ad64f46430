// A launch by a kernel that the device refuses is found; nvcc is asked again for -rdc=true.
// output: parent
// host: failed_launch
// launches: 1
#include <cstdio>
__global__ void child() { printf("child\n"); }
__global__ void parent() {
  printf("parent\n");
  child<<<1, 2048>>>();
}
int main() {
  parent<<<1, 1>>>();
  cudaDeviceSynchronize();
}
