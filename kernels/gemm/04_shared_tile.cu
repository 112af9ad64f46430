// C = alpha * A * B + beta * C, all row-major: A is M x K, B is K x N, C is M x N.
// New here: the block copies a TILE x TILE piece of A and of B to shared memory once, and each of
// its threads reads them TILE times from there. Global reads fall by the factor TILE.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE
#define TILE 32
#endif

static_assert(TILE * TILE <= 1024, "one thread per element of the tile: a block has at most 1024");

extern "C" __global__ void __launch_bounds__(TILE* TILE)
    gemm_shared_tile(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                     float beta) {
  __shared__ float a_tile[TILE][TILE];
  __shared__ float b_tile[TILE][TILE];

  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * TILE + ty;
  const int col = blockIdx.x * TILE + tx;

  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += TILE) {
    TILESCOPE_PHASE(load);
    // The thread copies the element of each tile that lies where it stands; zeros past the edges.
    const int a_col = k0 + tx;
    const int b_row = k0 + ty;
    float a_element = 0.0f;
    float b_element = 0.0f;
    if (row < M && a_col < K) a_element = A[size_t(row) * K + a_col];
    if (b_row < K && col < N) b_element = B[size_t(b_row) * N + col];

    TILESCOPE_PHASE(store_shared);
    a_tile[ty][tx] = a_element;
    b_tile[ty][tx] = b_element;

    TILESCOPE_PHASE(wait);
    __syncthreads();  // the tiles are whole

    TILESCOPE_PHASE(compute);
#pragma unroll
    for (int k = 0; k < TILE; ++k) {
      sum = fmaf(a_tile[ty][k], b_tile[k][tx], sum);
    }

    TILESCOPE_PHASE(wait);
    __syncthreads();  // nobody reads them any more
  }

  TILESCOPE_PHASE(epilogue);
  if (row < M && col < N) {
    float* c = C + size_t(row) * N + col;
    const float product = alpha * sum;
    *c = beta == 0.0f ? product : fmaf(beta, *c, product);
  }
}
