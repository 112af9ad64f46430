// One warp for 32 rows.
__global__ void sum_triangle(const int* in, int* sum, int rows) {
  const int row = blockIdx.x * 32 + threadIdx.x;
  if (row >= rows) return;
  int total = 0;
  for (int col = 0; col <= row % 32; ++col) {
    total += in[row * 32 + col];
  }
  sum[row] = total;
}
