// C = A B, one element a thread, tiles of A and B in shared memory; sizes need not fit the tile.
// trace: --grid 3,2 --block 16,16 --arg f32[990]=random:1 --arg f32[1584]=random:2 --arg f32[1440]=zero --arg i32:30 --arg i32:48 --arg i32:33
// mutant 1: shared_race at dot (no barrier after the tiles are filled)
// mutant 2: shared_race at fill_a,fill_b (no barrier before the next tiles)
// mutant 3: out_of_bounds at fill_a (no guard along k)
// mutant 4: out_of_bounds at write (no guard at the edge of C)
// mutant 5: uninitialised at dot (the last column of a tile is left unfilled)
// mutant 6: global_race at write (wrong leading dimension of C)
// mutant 7: out_of_bounds at dot (one k too many)
// mutant 8: barrier ... at first (a thread outside of C returns early)
#ifndef MUTANT
#define MUTANT 0
#endif
constexpr int kTile = 16;

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[kTile][kTile];
  __shared__ float b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int col = blockIdx.x * kTile + threadIdx.x;
#if MUTANT == 8
  if (row >= M || col >= N) return;
#endif
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += kTile) {
    const int ka = k0 + threadIdx.x;
    const int kb = k0 + threadIdx.y;
#if MUTANT == 3
    a[threadIdx.y][threadIdx.x] = row < M ? A[row * K + ka] : 0.0f;  //@fill_a
#elif MUTANT == 5
    if (threadIdx.x + 1 < kTile)
      a[threadIdx.y][threadIdx.x] = row < M && ka < K ? A[row * K + ka] : 0.0f;
#else
    a[threadIdx.y][threadIdx.x] = row < M && ka < K ? A[row * K + ka] : 0.0f;  //@fill_a
#endif
    b[threadIdx.y][threadIdx.x] = kb < K && col < N ? B[kb * N + col] : 0.0f;  //@fill_b
#if MUTANT != 1
    __syncthreads();  //@first
#endif
#if MUTANT == 7
    for (int k = 0; k <= kTile; ++k)
#else
    for (int k = 0; k < kTile; ++k)
#endif
      sum += a[threadIdx.y][k] * b[k][threadIdx.x];  //@dot
#if MUTANT != 2
    __syncthreads();
#endif
  }
#if MUTANT == 4
  C[row * N + col] = sum;  //@write
#elif MUTANT == 6
  if (row < M && col < N) C[row * (N - 5) + col] = sum;  //@write
#else
  if (row < M && col < N) C[row * N + col] = sum;  //@write
#endif
}
