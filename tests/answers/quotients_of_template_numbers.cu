// Nobody launches the kernel. Its template's numbers give others by division, none of which is meant to be 0, and the
// names say what they are the sizes of.
// trace: --sample
// launch: kernel products<64,8,64,8,8>, block 8x8x1
template <const int BLOCK_SIZE_M, const int BLOCK_SIZE_K, const int BLOCK_SIZE_N, const int THREAD_SIZE_Y, const int THREAD_SIZE_X>
__global__ void products(const float* A, const float* B, float* C, const int K, const int N) {
  const int wide = BLOCK_SIZE_N / THREAD_SIZE_X;
  const int high = BLOCK_SIZE_M / THREAD_SIZE_Y;
  const int threads = wide * high;
  __shared__ float a[BLOCK_SIZE_M][BLOCK_SIZE_K], b[BLOCK_SIZE_K][BLOCK_SIZE_N];
  const int me = threadIdx.y * wide + threadIdx.x;
  float sums[THREAD_SIZE_Y][THREAD_SIZE_X] = {};
  for (int k0 = 0; k0 < K; k0 += BLOCK_SIZE_K) {
    for (int i = me; i < BLOCK_SIZE_M * BLOCK_SIZE_K; i += threads)
      a[i / BLOCK_SIZE_K][i % BLOCK_SIZE_K] = A[(blockIdx.y * BLOCK_SIZE_M + i / BLOCK_SIZE_K) * K + k0 + i % BLOCK_SIZE_K];
    for (int i = me; i < BLOCK_SIZE_K * BLOCK_SIZE_N; i += threads)
      b[i / BLOCK_SIZE_N][i % BLOCK_SIZE_N] = B[(k0 + i / BLOCK_SIZE_N) * N + blockIdx.x * BLOCK_SIZE_N + i % BLOCK_SIZE_N];
    __syncthreads();
    for (int k = 0; k < BLOCK_SIZE_K; ++k)
      for (int y = 0; y < THREAD_SIZE_Y; ++y)
        for (int x = 0; x < THREAD_SIZE_X; ++x)
          sums[y][x] += a[threadIdx.y * THREAD_SIZE_Y + y][k] * b[k][threadIdx.x * THREAD_SIZE_X + x];
    __syncthreads();
  }
  for (int y = 0; y < THREAD_SIZE_Y; ++y)
    for (int x = 0; x < THREAD_SIZE_X; ++x)
      C[(blockIdx.y * BLOCK_SIZE_M + threadIdx.y * THREAD_SIZE_Y + y) * N + blockIdx.x * BLOCK_SIZE_N + threadIdx.x * THREAD_SIZE_X + x] = sums[y][x];
}
