// output: 8
// launches: 1
#include <cstdio>
#define API __declspec(dllexport)
__forceinline __device__ int eight() { return 8; }
API __global__ void fill(int* x) { x[threadIdx.x] = eight(); }
extern "C" API void __stdcall run(int* x) { fill<<<1, 32>>>(x); }
int main() {
  int* x;
  int first = 0;
  cudaMalloc(&x, 32 * sizeof(int));
  run(x);
  cudaMemcpy(&first, x, sizeof(int), cudaMemcpyDeviceToHost);
  cudaFree(x);
  printf("%d\n", first);
}
