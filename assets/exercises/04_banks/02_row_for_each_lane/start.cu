// One warp for 32 rows of 32 numbers.
__global__ void sum_rows(const int* in, int* sum, int rows) {
  __shared__ int tile[32][32];
  const int lane = threadIdx.x;
  const int row0 = blockIdx.x * 32;
  for (int y = 0; y < 32; ++y) {
    tile[y][lane] = row0 + y < rows ? in[(row0 + y) * 32 + lane] : 0;
  }
  __syncthreads();
  int total = 0;
  for (int step = 0; step < 32; ++step) {
    total += tile[lane][step];
  }
  if (row0 + lane < rows) sum[row0 + lane] = total;
}
