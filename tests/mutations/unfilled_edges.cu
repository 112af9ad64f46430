// C = A B with sizes that do not fit the tile: rows of A and columns of B past the edge are left as
// they are, for no element that is stored is made of them. Past k both tiles are filled with zeros.
// trace: --grid 2,2 --block 16,16 --arg f32[270]=random:1 --arg f32[207]=random:2 --arg f32[690]=zero --arg i32:30 --arg i32:23 --arg i32:9
// mutant 1: uninitialised ... at dot (past k only B is zero: what A's tile holds there may be no number)
// mutant 2: uninitialised ... at dot (a row too few is filled)
// mutant 3: uninitialised ... at dot (the guard of the store lets a column too many through)
// mutant 4: uninitialised at dot (a branch depends on every sum)
// mutant 5: uninitialised at dot (every thread of the warp adds its sum)
#ifndef MUTANT
#define MUTANT 0
#endif
constexpr int kTile = 16;

__global__ void gemm(const float* A, const float* B, float* C, int M, int N, int K) {
  __shared__ float a[kTile][kTile];
  __shared__ float b[kTile][kTile];
  const int row = blockIdx.y * kTile + threadIdx.y;
  const int col = blockIdx.x * kTile + threadIdx.x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < K; k0 += kTile) {
    const int ka = k0 + threadIdx.x;
    const int kb = k0 + threadIdx.y;
#if MUTANT == 1
    if (row < M && ka < K) a[threadIdx.y][threadIdx.x] = A[row * K + ka];
#elif MUTANT == 2
    if (row < M - 1) a[threadIdx.y][threadIdx.x] = ka < K ? A[row * K + ka] : 0.0f;
#else
    if (row < M) a[threadIdx.y][threadIdx.x] = ka < K ? A[row * K + ka] : 0.0f;
#endif
    if (col < N) b[threadIdx.y][threadIdx.x] = kb < K ? B[kb * N + col] : 0.0f;
    __syncthreads();
    for (int k = 0; k < kTile; ++k)
      sum += a[threadIdx.y][k] * b[k][threadIdx.x];  //@dot
    __syncthreads();
  }
#if MUTANT == 4
  if (sum > 1e6f) return;
#elif MUTANT == 5
  for (int step = 16; step > 0; step /= 2) sum += __shfl_xor_sync(0xffffffffu, sum, step);
#endif
#if MUTANT == 3
  if (row < M && col <= N && row * N + col < M * N) C[row * N + col] = sum;
#else
  if (row < M && col < N) C[row * N + col] = sum;
#endif
}
