// C = alpha * A * B + beta * C, all row-major: A is M x K, B is K x N, C is M x N.
// New here: the thread's tile grows to THREAD_M x THREAD_N. THREAD_M + THREAD_N floats are read for
// THREAD_M * THREAD_N multiply-adds, so more arithmetic is done for each byte that comes in.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif
#ifndef THREAD_M
#define THREAD_M 8
#endif
#ifndef THREAD_N
#define THREAD_N 4
#endif

static_assert(THREAD_N % 4 == 0, "a thread's columns come as float4s");

// The thread's columns are packs of four neighbours, BLOCK_X packs apart, so that neighbouring
// lanes read neighbouring packs.
constexpr int kPacks = THREAD_N / 4;
constexpr int kPackStep = BLOCK_X * 4;

// Floats col ... col + 3 of a row that has cols of them; zeros past its end. `wide`: 16 bytes at
// once, which needs the place to be a multiple of 16 bytes.
__device__ __forceinline__ float4 read4(const float* row, int col, int cols, bool wide) {
  if (wide && col + 4 <= cols) return *reinterpret_cast<const float4*>(row + col);
  float4 floats = {0.0f, 0.0f, 0.0f, 0.0f};
  if (col < cols) floats.x = row[col];
  if (col + 1 < cols) floats.y = row[col + 1];
  if (col + 2 < cols) floats.z = row[col + 2];
  if (col + 3 < cols) floats.w = row[col + 3];
  return floats;
}

__device__ __forceinline__ void write4(float* row, int col, int cols, bool wide,
                                       const float4& floats) {
  if (wide && col + 4 <= cols) {
    *reinterpret_cast<float4*>(row + col) = floats;
    return;
  }
  if (col < cols) row[col] = floats.x;
  if (col + 1 < cols) row[col + 1] = floats.y;
  if (col + 2 < cols) row[col + 2] = floats.z;
  if (col + 3 < cols) row[col + 3] = floats.w;
}

// sum += a * b for four columns.
__device__ __forceinline__ void add_product(float4& sum, float a, const float4& b) {
  sum.x = fmaf(a, b.x, sum.x);
  sum.y = fmaf(a, b.y, sum.y);
  sum.z = fmaf(a, b.z, sum.z);
  sum.w = fmaf(a, b.w, sum.w);
}

// One step of k: `a` holds the thread's THREAD_M floats of A.
__device__ __forceinline__ void add_step(float4 (&sum)[THREAD_M][kPacks],
                                         const float (&a)[THREAD_M], const float* b_row, int col,
                                         int N, bool wide) {
  float4 b[kPacks];
#pragma unroll
  for (int p = 0; p < kPacks; ++p) b[p] = read4(b_row, col + p * kPackStep, N, wide);
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int p = 0; p < kPacks; ++p) add_product(sum[i][p], a[i], b[p]);
  }
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    gemm_thread_tile(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                     float beta) {
  const int first_row = (blockIdx.y * BLOCK_Y + threadIdx.y) * THREAD_M;
  const int col = blockIdx.x * BLOCK_X * THREAD_N + threadIdx.x * 4;
  if (first_row >= M || col >= N) return;

  // A row past the last one stands for the last: what it gives is not written.
  const float* a_row[THREAD_M];
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
    a_row[i] = A + size_t(min(first_row + i, M - 1)) * K;
  }
  const bool wide_a = K % 4 == 0;
  const bool wide = N % 4 == 0;

  float4 sum[THREAD_M][kPacks] = {};
  int k = 0;
  for (; k + 4 <= K; k += 4) {
    TILESCOPE_PHASE(load);
    alignas(16) float a[4][THREAD_M];  // by step of k
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
      const float4 four = read4(a_row[i], k, K, wide_a);
      a[0][i] = four.x;
      a[1][i] = four.y;
      a[2][i] = four.z;
      a[3][i] = four.w;
    }
    TILESCOPE_PHASE(compute);
    const float* b_row = B + size_t(k) * N;
#pragma unroll
    for (int step = 0; step < 4; ++step) {
      add_step(sum, a[step], b_row + size_t(step) * N, col, N, wide);
    }
  }
  for (; k < K; ++k) {  // what is left of K
    float a[THREAD_M];
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) a[i] = a_row[i][k];
    add_step(sum, a, B + size_t(k) * N, col, N, wide);
  }

  TILESCOPE_PHASE(epilogue);
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
    if (first_row + i >= M) break;
    float* c_row = C + size_t(first_row + i) * N;
#pragma unroll
    for (int p = 0; p < kPacks; ++p) {
      float4 c = {};
      if (beta != 0.0f) c = read4(c_row, col + p * kPackStep, N, wide);
      c.x = fmaf(beta, c.x, alpha * sum[i][p].x);
      c.y = fmaf(beta, c.y, alpha * sum[i][p].y);
      c.z = fmaf(beta, c.z, alpha * sum[i][p].z);
      c.w = fmaf(beta, c.w, alpha * sum[i][p].w);
      write4(c_row, col + p * kPackStep, N, wide, c);
    }
  }
}
