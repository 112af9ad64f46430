// A tiled product whose inputs are 16-bit and become float on the way to shared memory. It is a
// product all the same: A to the left, B above, C between them.
// trace: --grid 16,16 --block 16,16 --arg f16[65536]=random:1 --arg f16[65536]=random:2 --arg f32[65536]=zero --arg i32:256
// shows: tiling: 16 × 16 elements of C, one per thread
#include <cuda_fp16.h>
__global__ void product(const half* A, const half* B, float* C, int edge) {
  __shared__ float left[16][16], right[16][16];
  const int x = threadIdx.x, y = threadIdx.y, row = blockIdx.y * 16 + y, column = blockIdx.x * 16 + x;
  float sum = 0.0f;
  for (int first = 0; first < edge; first += 16) {
    left[y][x] = __half2float(A[row * edge + first + x]);
    right[y][x] = __half2float(B[(first + y) * edge + column]);
    __syncthreads();
    for (int k = 0; k < 16; ++k) sum += left[y][k] * right[k][x];
    __syncthreads();
  }
  C[row * edge + column] = sum;
}
