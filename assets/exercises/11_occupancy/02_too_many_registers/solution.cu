__global__ void count_large(const int* in, int* count, int cols) {
  const int col = blockIdx.x * 256 + threadIdx.x;
  if (col >= cols) return;
  int most = in[col];
#pragma unroll 4
  for (int row = 0; row < 96; ++row) most = max(most, in[row * cols + col]);
  int large = 0;
#pragma unroll 4
  for (int row = 0; row < 96; ++row) large += in[row * cols + col] > most / 2;
  count[col] = large;
}
