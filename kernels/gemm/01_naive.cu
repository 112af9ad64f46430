// C = alpha * A * B + beta * C, all row-major: A is M x K, B is K x N, C is M x N.
// One thread makes one element of C and reads all it needs from global memory.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif
#ifndef LANES_DOWN
#define LANES_DOWN 0
#endif

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    gemm_naive(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
               float beta) {
  // x runs along a row of C: neighbouring lanes read neighbouring floats of B and the same float of
  // A. With LANES_DOWN it runs down a column: then they read A a row's length apart.
  const int x = blockIdx.x * BLOCK_X + threadIdx.x;
  const int y = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int row = LANES_DOWN != 0 ? x : y;
  const int col = LANES_DOWN != 0 ? y : x;
  if (row >= M || col >= N) return;

  const float* a = A + size_t(row) * K;
  const float* b = B + col;
  float sum = 0.0f;
  for (int k = 0; k < K; ++k) {
    TILESCOPE_PHASE(load);
    const float a_element = a[k];
    const float b_element = *b;
    TILESCOPE_PHASE(compute);
    sum = fmaf(a_element, b_element, sum);
    b += N;
  }

  TILESCOPE_PHASE(epilogue);
  float* c = C + size_t(row) * N + col;
  const float product = alpha * sum;
  *c = beta == 0.0f ? product : fmaf(beta, *c, product);  // beta 0: C may hold anything, even NaN
}
