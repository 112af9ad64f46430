// The loop goes back from the end of a row by the block's width, and its index is compared without a
// sign: it ends where a row is longer than that. Longer rows are taken.
// trace: --sample
// launch: columns i32:16384
__global__ void row_sums(const float* in, float* out, int rows, int columns) {
  const float* row = in + (long long)blockIdx.x * columns;
  float sum = 0.0f;
  int i = (columns + 3) / 4 + threadIdx.x - blockDim.x;
  while ((i + 1) * sizeof(float) > columns) {
    for (int k = 0; k < 4; ++k)
      if (i * sizeof(float) + k < columns) sum += row[4 * i + k];
    i -= blockDim.x;
  }
  for (; i >= 0; i -= blockDim.x)
    for (int k = 0; k < 4; ++k) sum += row[4 * i + k];
  atomicAdd(&out[blockIdx.x], sum);
}

void sum_rows(const float* in, float* out, int rows, int columns) {
  row_sums<<<rows, 1024>>>(in, out, rows, columns);
}
