// C = alpha * A * B + beta * C, all row-major: A is M x K, B is K x N, C is M x N.
// New here: only A's tile is in shared memory. A thread keeps TILE_M elements of a column of C in
// registers and adds, step by step of k, the column of A times its one element of B: a rank-1
// update of the block's tile. Every lane wants the same floats of A, which is one wavefront.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE_M
#define TILE_M 16
#endif
#ifndef TILE_N
#define TILE_N 64
#endif
#ifndef TILE_K
#define TILE_K 16
#endif

static_assert(TILE_M % 4 == 0, "a column of A's tile is read as float4s");

extern "C" __global__ void __launch_bounds__(TILE_N)
    gemm_rank_one(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                  float beta) {
  __shared__ __align__(16) float a_tile[TILE_K][TILE_M];  // transposed: a column of A is a row

  const int first_row = blockIdx.y * TILE_M;
  const int col = blockIdx.x * TILE_N + threadIdx.x;

  float sum[TILE_M] = {};
  for (int k0 = 0; k0 < K; k0 += TILE_K) {
    TILESCOPE_PHASE(load);
    for (int i = threadIdx.x; i < TILE_M * TILE_K; i += TILE_N) {
      const int row = first_row + i / TILE_K;  // neighbouring lanes along a row of A
      const int k = k0 + i % TILE_K;
      a_tile[i % TILE_K][i / TILE_K] =
          row < M && k < K ? A[size_t(row) * K + k] : 0.0f;
    }

    TILESCOPE_PHASE(wait);
    __syncthreads();  // the tile is whole

    TILESCOPE_PHASE(compute);
    if (col < N) {
      const float* b = B + size_t(k0) * N + col;
      const int steps = min(TILE_K, K - k0);
#pragma unroll 4
      for (int k = 0; k < steps; ++k) {
        const float b_element = b[size_t(k) * N];
#pragma unroll
        for (int i = 0; i < TILE_M; i += 4) {
          const float4 a = *reinterpret_cast<const float4*>(&a_tile[k][i]);
          sum[i] = fmaf(a.x, b_element, sum[i]);
          sum[i + 1] = fmaf(a.y, b_element, sum[i + 1]);
          sum[i + 2] = fmaf(a.z, b_element, sum[i + 2]);
          sum[i + 3] = fmaf(a.w, b_element, sum[i + 3]);
        }
      }
    }

    TILESCOPE_PHASE(wait);
    __syncthreads();  // nobody reads it any more
  }

  TILESCOPE_PHASE(epilogue);
  if (col >= N) return;
#pragma unroll
  for (int i = 0; i < TILE_M; ++i) {
    if (first_row + i >= M) break;
    float* c = C + size_t(first_row + i) * N + col;
    const float product = alpha * sum[i];
    *c = beta == 0.0f ? product : fmaf(beta, *c, product);
  }
}
