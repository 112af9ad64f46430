// host: failed_launch
// host text: a launch gave cudaErrorInvalidConfiguration, and the program never asked for it: call cudaGetLastError() after a launch
// output: done
#include <cstdio>

__global__ void none() {}

int main() {
  for (int i = 0; i < 2; ++i) none<<<1, 2000>>>();
  puts("done");
}
