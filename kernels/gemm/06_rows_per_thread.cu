// C = alpha * A * B + beta * C, all row-major: A is M x K, B is K x N, C is M x N.
// New here: fewer threads, each with ROWS elements of a column of C. An element of B's tile is read
// from shared memory once for ROWS multiply-adds.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE
#define TILE 32
#endif
#ifndef ROWS
#define ROWS 2
#endif

static_assert(TILE % ROWS == 0, "the block walks down the tile in whole steps");

constexpr int kBlockRows = TILE / ROWS;

extern "C" __global__ void __launch_bounds__(TILE* kBlockRows)
    gemm_rows_per_thread(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                         float beta) {
  __shared__ float a_tile[TILE][TILE];
  __shared__ float b_tile[TILE][TILE];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int first_row = blockIdx.y * TILE + ty;  // and every kBlockRows rows from there
  const int col = blockIdx.x * TILE + tx;

  float sum[ROWS] = {};
  for (int k0 = 0; k0 < K; k0 += TILE) {
    TILESCOPE_PHASE(load);
    const int a_col = k0 + tx;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
      const int row = first_row + i * kBlockRows;
      const int b_row = k0 + ty + i * kBlockRows;
      const bool a_inside = row < M && a_col < K;
      const bool b_inside = b_row < K && col < N;
      a_tile[ty + i * kBlockRows][tx] = a_inside ? A[size_t(row) * K + a_col] : 0.0f;
      b_tile[ty + i * kBlockRows][tx] = b_inside ? B[size_t(b_row) * N + col] : 0.0f;
    }

    TILESCOPE_PHASE(wait);
    __syncthreads();  // the tiles are whole

    TILESCOPE_PHASE(compute);
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
      const float b = b_tile[k][tx];
#pragma unroll
      for (int i = 0; i < ROWS; ++i) {
        sum[i] = fmaf(a_tile[ty + i * kBlockRows][k], b, sum[i]);
      }
    }

    TILESCOPE_PHASE(wait);
    __syncthreads();  // nobody reads them any more
  }

  TILESCOPE_PHASE(epilogue);
#pragma unroll
  for (int i = 0; i < ROWS; ++i) {
    const int row = first_row + i * kBlockRows;
    if (row >= M || col >= N) continue;
    float* c = C + size_t(row) * N + col;
    const float product = alpha * sum[i];
    *c = beta == 0.0f ? product : fmaf(beta, *c, product);
  }
}
