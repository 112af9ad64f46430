// Memory from malloc and new lives from kernel to kernel, until free and delete.
// output: sum 2016
// output: largest 63
// launches: 3
#include <cstdio>
struct Node {
  int value;
  Node* next;
  __device__ Node(int v, Node* n) : value(v), next(n) {}
};
__global__ void make(Node** heads, int** rows) {
  rows[threadIdx.x] = static_cast<int*>(malloc(3 * sizeof(int)));
  rows[threadIdx.x][2] = threadIdx.x;
  heads[threadIdx.x] = new Node(threadIdx.x, nullptr);
}
__global__ void read(Node** heads, int** rows, int* sum, int* largest) {
  atomicAdd(sum, heads[threadIdx.x]->value);
  atomicMax(largest, rows[threadIdx.x][2]);
}
__global__ void drop(Node** heads, int** rows) {
  delete heads[threadIdx.x];
  free(rows[threadIdx.x]);
}
int main() {
  Node** heads;
  int** rows;
  int* results;
  cudaMalloc(&heads, 64 * sizeof(Node*));
  cudaMalloc(&rows, 64 * sizeof(int*));
  cudaMallocManaged(&results, 2 * sizeof(int));
  results[0] = results[1] = 0;
  make<<<1, 64>>>(heads, rows);
  read<<<1, 64>>>(heads, rows, results, results + 1);
  drop<<<1, 64>>>(heads, rows);
  cudaDeviceSynchronize();
  std::printf("sum %d\nlargest %d\n", results[0], results[1]);
  cudaFree(heads);
  cudaFree(rows);
  cudaFree(results);
}
