// A loop that goes on and on is left when the time for the kernel is over, in the middle of its block.
// limit: 1
// cut short: 1
// seconds: 8
// output: no error
// launches: 1
#include <cstdio>
__global__ void count(float* out, float by) {
  float x = *out;
  while (x != 100000.5f) {
    x += by;
    if (x > 1e8f) x = 0;
  }
  *out = x;
}
int main() {
  float* out;
  cudaMalloc(&out, sizeof *out);
  cudaMemset(out, 0, sizeof *out);
  count<<<2, 64>>>(out, 1);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(out);
}
