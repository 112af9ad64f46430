// Twenty configurations of an endless kernel: once results mean nothing, each gets less time than
// the one before it, 3.6 s in all instead of 20.
// limit: 1
// cut short: 20
// seconds: 12
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
  for (int i = 1; i <= 20; ++i) count<<<1, i>>>(out, 1.0f);
  cudaDeviceSynchronize();
  cudaFree(out);
}
