// One block of 32 threads for each row.
__global__ void sum_rows(const float* in, float* sum, int rows, int cols) {
  __shared__ float part[32];
  const int row = blockIdx.x;
  float own = 0;
  for (int col = threadIdx.x; col < cols; col += 32) own += in[row * cols + col];
  part[threadIdx.x] = own;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0;
    for (int lane = 0; lane < 32; ++lane) total += part[lane];
    sum[row] = total;
  }
}
