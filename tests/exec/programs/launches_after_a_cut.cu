// What follows from a launch that was not executed whole is not reported: it has no index to give.
// limit: 1
// cut short: 1
// output: no error
// launches: 2
#include <cstdio>
__global__ void find(int* index, float by) {
  float x = 0;
  while (x != 100000.5f) {
    x += by;
    if (x > 1e8f) x = 0;
  }
  index[0] = 3;
}
__global__ void use(const int* index, float* out) { out[index[0]] = 1; }
int main() {
  int* index;
  float* out;
  cudaMalloc(&index, sizeof *index);
  cudaMemset(index, 0x10, sizeof *index);
  cudaMalloc(&out, 16);
  find<<<1, 1>>>(index, 1);
  use<<<1, 32>>>(index, out);
  std::printf("%s\n", cudaGetErrorString(cudaGetLastError()));
  cudaFree(index);
  cudaFree(out);
}
