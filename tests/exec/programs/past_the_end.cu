// finding: out_of_bounds 8
// output: no error
#include <cstdio>

// Without "i < n": the last block writes past the end.
__global__ void fill(int* values, int) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = i;
}

int main() {
  int* values;
  cudaMalloc(&values, 250 * sizeof(int));
  fill<<<2, 128>>>(values, 250);
  // A GPU does not notice: the page goes on.
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(values);
}
