// One size, squared by the index: a matrix of 1,024 rows, not of 1,048,576, which ends, with nothing
// out of bounds.
// trace: --sample
// launch: edge i32:1024, grid 4x1x1
__global__ void longest_steps(const float* costs, float* out, int edge) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= edge) return;
  float most = 0.0f;
  for (int k = 1; k < edge; ++k)
    most = fmaxf(most, fabsf(costs[row * edge + k] - costs[row * edge + k - 1]));
  out[row] = most;
}
