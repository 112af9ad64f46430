// C = alpha * A * B + beta * C, all row-major: A is M x K, B is K x N, C is M x N.
// New here: a block's tile is shared out among its warps first, WARP_M x WARP_N each, and a warp's
// among 8 x 4 lanes. The lanes of a warp then want fewer different floats of A and B than lanes
// along a row of the tile would, which saves wavefronts of shared memory.
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
#ifndef WARP_M
#define WARP_M 32
#endif
#ifndef WARP_N
#define WARP_N 64
#endif

static_assert(TILE_M % WARP_M == 0 && TILE_N % WARP_N == 0, "warps share the tile evenly");
static_assert(WARP_M % 32 == 0 && WARP_N % 16 == 0, "8 x 4 lanes share it as float4s");
static_assert(TILE_K % 4 == 0, "rows are copied as float4s");

constexpr int kLaneRows = 8;  // lanes of a warp down its tile of C
constexpr int kLaneCols = 4;  // and across it
constexpr int kThreadM = WARP_M / kLaneRows;
constexpr int kThreadN = WARP_N / kLaneCols;
constexpr int kWarpCols = TILE_N / WARP_N;  // warps across the block's tile
constexpr int kThreads = TILE_M / WARP_M * kWarpCols * 32;

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
  alignas(16) float a[kThreadM];
  alignas(16) float b[kThreadN];
};

__device__ __forceinline__ void read_parts(const float (&a_row)[TILE_M],
                                           const float (&b_row)[TILE_N], int first_row,
                                           int first_col, Parts& parts) {
#pragma unroll
  for (int i = 0; i < kThreadM; i += 4) {
    *reinterpret_cast<float4*>(&parts.a[i]) =
        *reinterpret_cast<const float4*>(&a_row[first_row + i * kLaneRows]);
  }
#pragma unroll
  for (int j = 0; j < kThreadN; j += 4) {
    *reinterpret_cast<float4*>(&parts.b[j]) =
        *reinterpret_cast<const float4*>(&b_row[first_col + j * kLaneCols]);
  }
}

__device__ __forceinline__ void multiply(const Parts& parts, float (&sum)[kThreadM][kThreadN]) {
#pragma unroll
  for (int i = 0; i < kThreadM; ++i) {
#pragma unroll
    for (int j = 0; j < kThreadN; ++j) sum[i][j] = fmaf(parts.a[i], parts.b[j], sum[i][j]);
  }
}

// C = alpha * sum + beta * C for the thread's elements. `c`: the block's tile, of which
// rows_left x cols_left lie inside C.
__device__ __forceinline__ void write_tile(float* c, int N, int rows_left, int cols_left, bool wide,
                                           float alpha, float beta, int first_row, int first_col,
                                           const float (&sum)[kThreadM][kThreadN]) {
#pragma unroll
  for (int i = 0; i < kThreadM; ++i) {
    const int row = first_row + i / 4 * 4 * kLaneRows + i % 4;
    if (row >= rows_left) break;
    float* c_row = c + size_t(row) * N;
#pragma unroll
    for (int j = 0; j < kThreadN; j += 4) {
      const int col = first_col + j * kLaneCols;
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
constexpr int kBlocks = kThreads <= 256 && kThreadM * kThreadN <= 64 ? 2 : 1;

extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    gemm_warp_tile(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                   float beta) {
  __shared__ __align__(16) float a_tile[2][TILE_K][TILE_M];
  __shared__ __align__(16) float b_tile[2][TILE_K][TILE_N];

  const int warp = threadIdx.x / 32;
  const int lane = threadIdx.x % 32;
  // The thread's first element in the block's tile; the others lie in packs of four from there.
  const int own_row = warp / kWarpCols * WARP_M + lane / kLaneCols * 4;
  const int own_col = warp % kWarpCols * WARP_N + lane % kLaneCols * 4;
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

  float sum[kThreadM][kThreadN] = {};
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
    read_parts(a_tile[stage][0], b_tile[stage][0], own_row, own_col, parts[0]);
#pragma unroll
    for (int k = 0; k < TILE_K; ++k) {
      if (k + 1 < TILE_K) {
        read_parts(a_tile[stage][k + 1], b_tile[stage][k + 1], own_row, own_col,
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
             wide, alpha, beta, own_row, own_col, sum);
}
