// Visual Studio takes a main() that returns nothing; g++ does not.
// output: 2 words or fewer, 42
// launches: 1
#include <cstdio>
__global__ void put(int* out) { *out = 42; }
void main(int count, char** words) {
  int *out, host;
  cudaMalloc(&out, sizeof host);
  put<<<1, 1>>>(out);
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  std::printf("%d words or fewer, %d\n", words[0] != nullptr && count < 3 ? 2 : 0, host);
  cudaFree(out);
}
