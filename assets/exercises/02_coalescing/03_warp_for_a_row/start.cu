// One block of 32 threads for each row.
__global__ void sum_rows(const float* in, float* sum, int rows, int cols) {
  const int row = blockIdx.x;
  if (threadIdx.x == 0) {
    float total = 0;
    for (int col = 0; col < cols; ++col) total += in[row * cols + col];
    sum[row] = total;
  }
}
