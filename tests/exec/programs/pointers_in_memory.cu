// output: 6
// A table of pointers, and a structure with one: the launch sees all allocations.
#include <cstdio>

struct Arguments {
  int* const* table;
  int* out;
  int rows;
};
__global__ void sum(Arguments arguments) {
  int total = 0;
  for (int i = 0; i < arguments.rows; ++i) total += arguments.table[i][0];
  *arguments.out = total;
}

int main() {
  int* rows[3];
  for (int i = 0; i < 3; ++i) {
    const int value = i + 1;
    cudaMalloc(&rows[i], sizeof(int));
    cudaMemcpy(rows[i], &value, sizeof value, cudaMemcpyHostToDevice);
  }
  Arguments arguments{nullptr, nullptr, 3};
  int** table;
  cudaMalloc(&table, sizeof rows);
  cudaMemcpy(table, rows, sizeof rows, cudaMemcpyHostToDevice);
  arguments.table = table;
  cudaMalloc(&arguments.out, sizeof(int));
  sum<<<1, 1>>>(arguments);
  int total;
  cudaMemcpy(&total, arguments.out, sizeof total, cudaMemcpyDeviceToHost);
  printf("%d\n", total);
  for (int* row : rows) cudaFree(row);
  cudaFree(table);
  cudaFree(arguments.out);
}
