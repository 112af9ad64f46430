// C = alpha * A * B + beta * C, all row-major: A is M x K, B is K x N, C is M x N.
// New here: what the next step of k needs is read from shared memory before this step is computed,
// into a second set of registers. The multiply-adds no longer wait for the reads just before them.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE_M
#define TILE_M 128
#endif
#ifndef TILE_N
#define TILE_N 128
#endif
#ifndef TILE_K
#define TILE_K 16
#endif
#ifndef THREAD_M
#define THREAD_M 8
#endif
#ifndef THREAD_N
#define THREAD_N 8
#endif

static_assert(TILE_M % THREAD_M == 0 && TILE_N % THREAD_N == 0, "threads share the tile evenly");
static_assert(THREAD_M % 4 == 0 && THREAD_N % 4 == 0, "a thread reads float4s");
static_assert(TILE_K % 4 == 0 && TILE_N % 4 == 0, "rows are copied as float4s");

constexpr int kThreadRows = TILE_M / THREAD_M;  // threads down the block's tile of C
constexpr int kThreadCols = TILE_N / THREAD_N;  // and across it
constexpr int kThreads = kThreadRows * kThreadCols;

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

// The block copies its tile of A or B to shared memory; zeros past the edges of the matrix, of
// which rows_left x cols_left lie to the right of and below `from`.
template <int Rows, int Cols>
__device__ __forceinline__ void copy_tile(float (&tile)[Rows][Cols], const float* from, int leading,
                                          int rows_left, int cols_left, bool wide) {
#pragma unroll
  for (int first = 0; first < Rows * Cols; first += kThreads * 4) {
    const int i = first + threadIdx.x * 4;
    if (i >= Rows * Cols) break;
    const int row = i / Cols;
    const int col = i % Cols;
    float4 four = {0.0f, 0.0f, 0.0f, 0.0f};
    if (row < rows_left)
      four = read4(from + size_t(row) * leading, col, cols_left, wide);
    *reinterpret_cast<float4*>(&tile[row][col]) = four;
  }
}

// The same for A, whose rows become columns of the tile.
__device__ __forceinline__ void copy_transposed(float (&tile)[TILE_K][TILE_M], const float* from,
                                                int leading, int rows_left, int cols_left,
                                                bool wide) {
#pragma unroll
  for (int first = 0; first < TILE_M * TILE_K; first += kThreads * 4) {
    const int i = first + threadIdx.x * 4;
    if (i >= TILE_M * TILE_K) break;
    const int row = i / TILE_K;
    const int col = i % TILE_K;
    float4 four = {0.0f, 0.0f, 0.0f, 0.0f};
    if (row < rows_left)
      four = read4(from + size_t(row) * leading, col, cols_left, wide);
    tile[col][row] = four.x;
    tile[col + 1][row] = four.y;
    tile[col + 2][row] = four.z;
    tile[col + 3][row] = four.w;
  }
}

// The floats of one step of k that this thread needs.
struct Parts {
  alignas(16) float a[THREAD_M];
  alignas(16) float b[THREAD_N];
};

__device__ __forceinline__ void read_parts(const float (&a_row)[TILE_M],
                                           const float (&b_row)[TILE_N], int thread_row,
                                           int thread_col, Parts& parts) {
#pragma unroll
  for (int i = 0; i < THREAD_M; i += 4) {
    *reinterpret_cast<float4*>(&parts.a[i]) =
        *reinterpret_cast<const float4*>(&a_row[i * kThreadRows + thread_row * 4]);
  }
#pragma unroll
  for (int j = 0; j < THREAD_N; j += 4) {
    *reinterpret_cast<float4*>(&parts.b[j]) =
        *reinterpret_cast<const float4*>(&b_row[j * kThreadCols + thread_col * 4]);
  }
}

__device__ __forceinline__ void multiply(const Parts& parts, float (&sum)[THREAD_M][THREAD_N]) {
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) sum[i][j] = fmaf(parts.a[i], parts.b[j], sum[i][j]);
  }
}

// C = alpha * sum + beta * C for the thread's elements. `c`: the block's tile, of which
// rows_left x cols_left lie inside C.
__device__ __forceinline__ void write_tile(float* c, int N, int rows_left, int cols_left, bool wide,
                                           float alpha, float beta, int thread_row, int thread_col,
                                           const float (&sum)[THREAD_M][THREAD_N]) {
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
    const int row = i / 4 * 4 * kThreadRows + thread_row * 4 + i % 4;
    if (row >= rows_left) break;
    float* c_row = c + size_t(row) * N;
#pragma unroll
    for (int j = 0; j < THREAD_N; j += 4) {
      const int col = j * kThreadCols + thread_col * 4;
      float4 four = {};
      if (beta != 0.0f) four = read4(c_row, col, cols_left, wide);
      four.x = fmaf(beta, four.x, alpha * sum[i][j]);
      four.y = fmaf(beta, four.y, alpha * sum[i][j + 1]);
      four.z = fmaf(beta, four.z, alpha * sum[i][j + 2]);
      four.w = fmaf(beta, four.w, alpha * sum[i][j + 3]);
      write4(c_row, col, cols_left, wide, four);
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_register_buffer(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                         float beta) {
  __shared__ __align__(16) float a_tile[TILE_K][TILE_M];
  __shared__ __align__(16) float b_tile[TILE_K][TILE_N];

  const int thread_row = threadIdx.x / kThreadCols;
  const int thread_col = threadIdx.x % kThreadCols;
  const int first_row = blockIdx.y * TILE_M;
  const int first_col = blockIdx.x * TILE_N;
  const float* a = A + size_t(first_row) * K;
  const float* b = B + first_col;
  const bool wide_a = K % 4 == 0;
  const bool wide = N % 4 == 0;

  float sum[THREAD_M][THREAD_N] = {};
  for (int k0 = 0; k0 < K; k0 += TILE_K) {
    TILESCOPE_PHASE(load);
    copy_transposed(a_tile, a + k0, K, M - first_row, K - k0, wide_a);
    copy_tile(b_tile, b + size_t(k0) * N, N, K - k0, N - first_col, wide);

    TILESCOPE_PHASE(wait);
    __syncthreads();  // the tiles are whole

    TILESCOPE_PHASE(compute);
    Parts parts[2];
    read_parts(a_tile[0], b_tile[0], thread_row, thread_col, parts[0]);
#pragma unroll
    for (int k = 0; k < TILE_K; ++k) {
      if (k + 1 < TILE_K) {
        read_parts(a_tile[k + 1], b_tile[k + 1], thread_row, thread_col, parts[(k + 1) % 2]);
      }
      multiply(parts[k % 2], sum);
    }

    TILESCOPE_PHASE(wait);
    __syncthreads();  // nobody reads them any more
  }

  TILESCOPE_PHASE(epilogue);
  write_tile(C + size_t(first_row) * N + first_col, N, M - first_row, N - first_col,
             wide, alpha, beta, thread_row, thread_col, sum);
}
