// Blocks of 32 x 8 threads, one for each 32 x 32 elements.
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  const int col = blockIdx.x * 32 + threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8) {
    const int row = blockIdx.y * 32 + y;
    if (row < rows && col < cols) {
      out[col * rows + row] = in[row * cols + col];
    }
  }
}
