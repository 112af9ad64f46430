// Each thread computes 4 x 4 elements, and nothing checks the edges: the grid counts tiles of 64 x 64, not
// rows, so that no buffer has to be larger than the matrices.
// trace: --sample
// launch: grid 16x16x1, block 16x16x1, C f32[1048576]
#define EACH 4
__global__ void product(const float* A, const float* B, float* C, int M, int N, int K) {
  const int row = (blockIdx.y * blockDim.y + threadIdx.y) * EACH;
  const int column = (blockIdx.x * blockDim.x + threadIdx.x) * EACH;
  float sums[EACH][EACH] = {};
  for (int k = 0; k < K; ++k)
    for (int i = 0; i < EACH; ++i)
      for (int j = 0; j < EACH; ++j) sums[i][j] += A[(row + i) * K + k] * B[k * N + column + j];
  for (int i = 0; i < EACH; ++i)
    for (int j = 0; j < EACH; ++j) C[(row + i) * N + column + j] = sums[i][j];
}
