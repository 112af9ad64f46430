// What a kernel launches runs when the kernel is over, its tail launches last, each with its own.
// nvcc: -rdc=true
// output: parent 0
// output: child 0 of 0
// output: child 1 of 0
// output: copied 5
// output: parent 1
// output: child 0 of 1
// output: child 1 of 1
// output: copied 5
// output: sum 22
// launches: 8
#include <cstdio>
__global__ void child(int* sum, int* cell, int number, int parent) {
  printf("child %d of %d\n", number, parent);
  *cell = 5;
  atomicAdd(sum, 5 * number + 3);
}
__global__ void look(int* from) { printf("copied %d\n", *from); }
__global__ void parent(int* sum, int* cell, int* copy, int number) {
  if (threadIdx.x != 0) return;
  printf("parent %d\n", number);
  cudaStream_t stream;
  cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (int i = 0; i < 2; ++i) child<<<1, 1, 0, stream>>>(sum, cell, i, number);
  cudaMemcpyAsync(copy, cell, sizeof(int), cudaMemcpyDeviceToDevice, stream);
  cudaStreamDestroy(stream);
  look<<<1, 1, 0, cudaStreamTailLaunch>>>(copy);
  if (number == 0) parent<<<1, 32, 0, cudaStreamTailLaunch>>>(sum, cell, copy, 1);
}
int main() {
  int* memory;
  cudaMalloc(&memory, 3 * sizeof(int));
  cudaMemset(memory, 0, 3 * sizeof(int));
  parent<<<1, 32>>>(memory, memory + 1, memory + 2, 0);
  int sum = 0;
  cudaMemcpy(&sum, memory, sizeof sum, cudaMemcpyDeviceToHost);
  printf("sum %d\n", sum);
  cudaFree(memory);
}
