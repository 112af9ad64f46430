// C = alpha * A * B + beta * C, all row-major: A is M x K, B is K x N, C is M x N.
// New here: the next tiles are read from global memory before this one is computed, into registers,
// and go to a second pair of shared tiles behind it. Global memory's latency passes during the
// arithmetic, and one barrier a tile is enough.
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

// What a thread carries of the next tiles, float4 by float4.
constexpr int kPiecesA = (TILE_M * TILE_K / 4 + kThreads - 1) / kThreads;
constexpr int kPiecesB = (TILE_K * TILE_N / 4 + kThreads - 1) / kThreads;

// Global memory to registers; zeros past the edges of the matrix, of which rows_left x cols_left
// lie to the right of and below `from`. The tile is Cols floats wide.
template <int Rows, int Cols, int Pieces>
__device__ __forceinline__ void load_tile(float4 (&pieces)[Pieces], const float* from, int leading,
                                          int rows_left, int cols_left, bool wide) {
#pragma unroll
  for (int p = 0; p < Pieces; ++p) {
    const int i = (p * kThreads + threadIdx.x) * 4;
    const int row = i / Cols;
    pieces[p] = {0.0f, 0.0f, 0.0f, 0.0f};
    if (row < Rows && row < rows_left) {
      pieces[p] = read4(from + size_t(row) * leading, i % Cols, cols_left, wide);
    }
  }
}

// Registers to shared memory: A's rows become columns of its tile.
__device__ __forceinline__ void store_a(float (&tile)[TILE_K][TILE_M],
                                        const float4 (&pieces)[kPiecesA]) {
#pragma unroll
  for (int p = 0; p < kPiecesA; ++p) {
    const int i = (p * kThreads + threadIdx.x) * 4;
    const int row = i / TILE_K;
    const int col = i % TILE_K;
    if (row >= TILE_M) break;
    tile[col][row] = pieces[p].x;
    tile[col + 1][row] = pieces[p].y;
    tile[col + 2][row] = pieces[p].z;
    tile[col + 3][row] = pieces[p].w;
  }
}
__device__ __forceinline__ void store_b(float (&tile)[TILE_K][TILE_N],
                                        const float4 (&pieces)[kPiecesB]) {
#pragma unroll
  for (int p = 0; p < kPiecesB; ++p) {
    const int i = (p * kThreads + threadIdx.x) * 4;
    if (i / TILE_N >= TILE_K) break;
    *reinterpret_cast<float4*>(&tile[i / TILE_N][i % TILE_N]) = pieces[p];
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

// Registers are kept few enough that a second block fits beside one of 256 threads.
constexpr int kBlocks = kThreads <= 256 && THREAD_M * THREAD_N <= 64 ? 2 : 1;

extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    gemm_prefetch(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                  float beta) {
  __shared__ __align__(16) float a_tile[2][TILE_K][TILE_M];
  __shared__ __align__(16) float b_tile[2][TILE_K][TILE_N];

  const int thread_row = threadIdx.x / kThreadCols;
  const int thread_col = threadIdx.x % kThreadCols;
  const int first_row = blockIdx.y * TILE_M;
  const int first_col = blockIdx.x * TILE_N;
  const float* a = A + size_t(first_row) * K;
  const float* b = B + first_col;
  const bool wide_a = K % 4 == 0;
  const bool wide = N % 4 == 0;

  float4 a_next[kPiecesA];
  float4 b_next[kPiecesB];
  TILESCOPE_PHASE(load);
  load_tile<TILE_M, TILE_K>(a_next, a, K, M - first_row, K, wide_a);
  load_tile<TILE_K, TILE_N>(b_next, b, N, K, N - first_col, wide);
  TILESCOPE_PHASE(store_shared);
  store_a(a_tile[0], a_next);
  store_b(b_tile[0], b_next);
  TILESCOPE_PHASE(wait);
  __syncthreads();  // the first tiles are whole

  float sum[THREAD_M][THREAD_N] = {};
  int stage = 0;
  for (int k0 = 0; k0 < K; k0 += TILE_K, stage ^= 1) {
    const int next = k0 + TILE_K;
    TILESCOPE_PHASE(load);
    if (next < K) {
      load_tile<TILE_M, TILE_K>(a_next, a + next, K, M - first_row, K - next, wide_a);
      load_tile<TILE_K, TILE_N>(b_next, b + size_t(next) * N, N, K - next,
                                N - first_col, wide);
    }

    TILESCOPE_PHASE(compute);
    Parts parts[2];
    read_parts(a_tile[stage][0], b_tile[stage][0], thread_row, thread_col, parts[0]);
#pragma unroll
    for (int k = 0; k < TILE_K; ++k) {
      if (k + 1 < TILE_K) {
        read_parts(a_tile[stage][k + 1], b_tile[stage][k + 1], thread_row, thread_col,
                   parts[(k + 1) % 2]);
      }
      multiply(parts[k % 2], sum);
    }

    if (next < K) {
      TILESCOPE_PHASE(store_shared);
      store_a(a_tile[stage ^ 1], a_next);
      store_b(b_tile[stage ^ 1], b_next);
      TILESCOPE_PHASE(wait);
      __syncthreads();  // the next tiles are whole, and nobody reads these any more
    }
  }

  TILESCOPE_PHASE(epilogue);
  write_tile(C + size_t(first_row) * N + first_col, N, M - first_row, N - first_col,
             wide, alpha, beta, thread_row, thread_col, sum);
}
