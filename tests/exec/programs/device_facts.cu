// output: NVIDIA H100 SXM5 9.0 132 2
#include <cstdio>

__global__ void __launch_bounds__(1024) none() {}

int main() {
  cudaDeviceProp properties;
  int count, processors, blocks;
  cudaGetDeviceCount(&count);
  cudaGetDeviceProperties(&properties, 0);
  cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, 0);
  cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, none, 1024, 0);
  printf("%s %d.%d %d %d\n", properties.name, properties.major, properties.minor, processors, blocks);
}
