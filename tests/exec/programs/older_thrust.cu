// Types of Thrust and iterators of CUB that CUDA 13 has no more, and paths as Windows writes them.
// output: 14 of 4, 30 of 4
#include <cub\cub.cuh>
#include "thrust\device_vector.h"
#include "thrust\transform_reduce.h"

#include <cstdio>

struct Square : thrust::unary_function<int, int> {
  __host__ __device__ int operator()(int x) const { return x * x; }
};

struct Add : thrust::binary_function<int, int, int> {
  __host__ __device__ int operator()(int a, int b) const { return a + b; }
};

int main() {
  const int host[] = {0, 1, 2, 3};
  thrust::device_vector<int> x(host, host + 4);
  const int squares = thrust::transform_reduce(x.begin(), x.end(), Square(), 0, Add());

  cub::CountingInputIterator<int> numbers(1);
  cub::TransformInputIterator<int, Square, cub::CountingInputIterator<int>> all(numbers, Square());
  int* sum = nullptr;
  void* room = nullptr;
  size_t bytes = 0;
  cudaMallocManaged(&sum, sizeof(int));
  cub::DeviceReduce::Sum(room, bytes, all, sum, 4);
  cudaMalloc(&room, bytes);
  cub::DeviceReduce::Sum(room, bytes, all, sum, 4);
  cudaDeviceSynchronize();
  printf("%d of %d, %d of %d\n", squares, 4, *sum, 4);
  cudaFree(room);
  cudaFree(sum);
}
