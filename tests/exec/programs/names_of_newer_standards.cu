// output: 3 2
// launches: 1
// A name that C++17 has too, and using namespace std: the program is of the time before.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
using namespace std;
float beta = 2.0f;
typedef unsigned char byte;
__global__ void scale(float* x, float by) { x[threadIdx.x] = by; }
int main() {
  byte three = 3;
  float* x;
  float first = 0;
  cudaMalloc(&x, 32 * sizeof(float));
  scale<<<1, 32>>>(x, beta);
  cudaMemcpy(&first, x, sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(x);
  printf("%d %g\n", three, first);
}
