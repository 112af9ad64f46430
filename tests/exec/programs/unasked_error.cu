// host: failed_launch
// output: done
#include <cstdio>

__global__ void none() {}

int main() {
  none<<<1, 2000>>>();
  puts("done");
}
