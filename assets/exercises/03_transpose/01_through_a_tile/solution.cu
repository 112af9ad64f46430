// Blocks of 32 x 8 threads; each transposes a tile of 32 x 32.
__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[32][32];
  const int x = threadIdx.x;
  const int row0 = blockIdx.y * 32;
  const int col0 = blockIdx.x * 32;
  for (int y = threadIdx.y; y < 32; y += 8) {
    if (row0 + y < rows && col0 + x < cols) {
      tile[y][x] = in[(row0 + y) * cols + col0 + x];
    }
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) {
    if (col0 + y < cols && row0 + x < rows) {
      out[(col0 + y) * rows + row0 + x] = tile[x][y];  // COLUMN
    }
  }
}
