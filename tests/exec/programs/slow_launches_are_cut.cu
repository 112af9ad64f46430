// The time for a kernel is over within its first launch: those that follow are not even begun.
// limit: 1
// cut short: 20
// seconds: 6
// launches: 20
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
  cudaMalloc(&out, sizeof(float));
  cudaMemset(out, 0, sizeof(float));
  for (int i = 0; i < 20; ++i) count<<<1, 1>>>(out, 1.0f + i);
  cudaDeviceSynchronize();
  cudaFree(out);
}
