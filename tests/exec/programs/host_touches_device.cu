// host: host_access
// status: 139
#include <cstdio>

int main() {
  int* device;
  cudaMalloc(&device, 100);
  printf("%d\n", device[3]);
}
