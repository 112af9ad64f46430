__global__ void add_matrices(const float* a, const float* b, float* sum, int rows, int cols) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  const int col = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && col < cols) {
    const int i = row * cols + col;
    sum[i] = a[i] + b[i];
  }
}
