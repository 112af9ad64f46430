// Own headers beside the file, which include host headers and each other.
#include "parts/shapes.cuh"
#include "parts/../parts/more/indices.cuh"
#include <cublas_v2.h>
#include <thrust/device_vector.h>

__global__ void flip(const float* in, float* out, Extent extent) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= extent.rows * extent.cols) return;
  const int row = i / extent.cols;
  const int col = i % extent.cols;
  out[row_major(row, extent.cols - 1 - col, extent.cols)] = in[i];
}

int main() {
  thrust::device_vector<float> in(12), out(12);
  flip<<<1, 32>>>(thrust::raw_pointer_cast(in.data()), thrust::raw_pointer_cast(out.data()), {3, 4});
  print({3, 4});
  cublasHandle_t handle;
  cublasCreate(&handle);
}
