__global__ void count_large(const int* in, int* count, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  if (col >= cols) return;
  int number[96];
#pragma unroll
  for (int row = 0; row < 96; ++row) number[row] = in[row * cols + col];
  int most = number[0];
#pragma unroll
  for (int row = 0; row < 96; ++row) most = max(most, number[row]);
  int large = 0;
#pragma unroll
  for (int row = 0; row < 96; ++row) large += number[row] > most / 2;
  count[col] = large;
}
