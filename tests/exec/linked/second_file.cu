// Linked with programs/two_files.cu.
#include <cstdio>
__device__ int offset_of_all = 40;
static __device__ int own() { return 1; }
template <class T>
__device__ T twice(T value) {
  return value + value;
}
__device__ int from_second(int value) { return twice(value) + offset_of_all + own(); }
__global__ void second(int* out) {
  printf("second %s\n", "file");
  *out = from_second(1);
}
void launch_second(int* out) { second<<<1, 1>>>(out); }
