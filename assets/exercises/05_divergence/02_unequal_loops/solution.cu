// One warp for 32 rows.
__global__ void sum_triangle(const int* in, int* sum, int rows) {
  const int lane = threadIdx.x;
  const int row0 = blockIdx.x * 32;
  for (int row = row0; row < min(row0 + 32, rows); ++row) {
    if (lane <= row % 32) {
      atomicAdd(&sum[row], in[row * 32 + lane]);
    }
  }
}
