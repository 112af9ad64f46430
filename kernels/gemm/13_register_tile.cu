// C = alpha * A * B + beta * C, all row-major: A is M x K, B is K x N, C is M x N.
// New here: each thread keeps a THREAD_M x THREAD_N tile of C in registers. For a step of k it
// reads THREAD_M + THREAD_N floats from shared memory and does THREAD_M * THREAD_N multiply-adds
// with them. STAGES buffers hold the tiles of A and B: with one, a tile is brought, then multiplied;
// with more, the next tiles come in while the present one is multiplied. ASYNC says how they come:
//   0   through registers, where one tile waits until its buffer is free: two stages at most
//   1   by cp.async, past the registers: a ring of buffers, filled STAGES - 1 tiles ahead
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
#ifndef VECTOR
#define VECTOR 4
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef ASYNC
#define ASYNC 1
#endif

constexpr int kThreadRows = TILE_M / THREAD_M;  // threads down the block's tile of C
constexpr int kThreadCols = TILE_N / THREAD_N;  // and across it
constexpr int kThreads = kThreadRows * kThreadCols;

static_assert(TILE_M % THREAD_M == 0 && TILE_N % THREAD_N == 0, "threads share the tile evenly");
static_assert(TILE_K % VECTOR == 0 && TILE_N % VECTOR == 0, "rows are copied in whole vectors");
static_assert(kThreads % 32 == 0, "the lanes of a warp are laid out as 32");
static_assert(kThreads <= 1024, "a block has at most 1024 threads");
static_assert(ASYNC || STAGES <= 2, "registers hold one tile on its way");

// Registers that a thread may take, so that enough warps fit beside each other to hide latency: 128
// where the sums leave room for it, else all 255. Steps of k per turn of the loop: on an H200 8 are
// 10 % faster than 2, as the next steps' loads mix with this one's arithmetic; more add nothing.
constexpr int kRegisters = THREAD_M * THREAD_N <= 64 ? 128 : 255;
constexpr int kBlocks = kThreads * kRegisters <= 32768 ? 65536 / (kThreads * kRegisters) : 1;
constexpr int kUnroll = THREAD_M * THREAD_N <= 64 ? 8 : 4;

// A thread's rows (and columns) come in packs of neighbours, which one wide load reads from shared
// memory. Its next pack lies kThreadRows packs on, so the packs of a warp's lanes are neighbours
// too.
constexpr int kPackM = THREAD_M % 4 == 0 ? 4 : THREAD_M;
constexpr int kPackN = THREAD_N % 4 == 0 ? 4 : THREAD_N;

// A's tile is kept transposed, [k][m]. Four floats behind each row keep packs aligned to 16 bytes
// and put the 8 (k) x 4 (m) floats that a warp of cp.async writes into 32 different banks.
constexpr int kPitchA = TILE_M + 4;
constexpr int kPitchB = TILE_N;
[[maybe_unused]] constexpr int kStageFloats = TILE_K * (kPitchA + kPitchB);

// How the block copies a tile: neighbouring lanes take neighbouring pieces of a row, kLanes of
// them, the others the rows below. cp.async moves bytes as they are, so to transpose A it takes
// single floats.
constexpr int kWidthA = ASYNC ? 1 : VECTOR;  // floats of a piece
constexpr int kWidthB = VECTOR;
constexpr int kWidthC = VECTOR < kPackN ? VECTOR : kPackN;

// A power of two, so that it divides the block.
__host__ __device__ constexpr int lanes_along(int pieces, int most) {
  int lanes = 1;
  while (lanes < most && pieces % (2 * lanes) == 0) lanes *= 2;
  return lanes;
}
constexpr int kLanesA = lanes_along(TILE_K / kWidthA, 8);
constexpr int kLanesB = lanes_along(TILE_N / kWidthB, 32);
constexpr int kRowsA = kThreads / kLanesA;  // rows that the block copies at a time
constexpr int kRowsB = kThreads / kLanesB;
constexpr int kColsA = kLanesA * kWidthA;
constexpr int kColsB = kLanesB * kWidthB;
constexpr int kPiecesA = (TILE_M + kRowsA - 1) / kRowsA * (TILE_K / kColsA);  // of one thread
constexpr int kPiecesB = (TILE_K + kRowsB - 1) / kRowsB * (TILE_N / kColsB);

// Where one thread copies from: its first piece of the first tile.
struct Source {
  const float* a;
  const float* b;
  int a_row, b_row;              // of that piece, in the tile
  int a_rows_left, a_cols_left;  // from there to the matrix's edges
  int b_rows_left, b_cols_left;
  int K, N;
};

template <int Floats>
struct Pack;
template <>
struct Pack<1> {
  using Type = float;
};
template <>
struct Pack<2> {
  using Type = float2;
};
template <>
struct Pack<4> {
  using Type = float4;
};

// One access of the whole width; both places are aligned to it.
template <int Floats>
__device__ __forceinline__ void move(float* to, const float* from) {
  using Type = typename Pack<Floats>::Type;
  *reinterpret_cast<Type*>(to) = *reinterpret_cast<const Type*>(from);
}

template <int Floats>
__device__ __forceinline__ void move_async(float* to, const float* from) {
  const unsigned address = unsigned(__cvta_generic_to_shared(to));
  if constexpr (Floats == 4) {  // .cg: past L1, which only 16 bytes may
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from),
                 "n"(Floats * 4)
                 : "memory");
  }
}

// Calls copy(row, col, index) for this thread's pieces of A's tile: where in the tile, counted from
// the first one, and which. Unrolled, but where the code is long and seldom runs.
template <bool Unrolled, typename Copy>
__device__ __forceinline__ void for_pieces_of_a(const Source& from, Copy copy) {
  constexpr int kTimes = Unrolled ? kPiecesA : 1;
#pragma unroll kTimes
  for (int col = 0, piece = 0; col < TILE_K; col += kColsA) {
#pragma unroll kTimes
    for (int row = 0; row < TILE_M; row += kRowsA, ++piece) {
      if (TILE_M % kRowsA == 0 || from.a_row + row < TILE_M) copy(row, col, piece);
    }
  }
}
template <bool Unrolled, typename Copy>
__device__ __forceinline__ void for_pieces_of_b(const Source& from, Copy copy) {
  constexpr int kTimes = Unrolled ? kPiecesB : 1;
#pragma unroll kTimes
  for (int col = 0, piece = 0; col < TILE_N; col += kColsB) {
#pragma unroll kTimes
    for (int row = 0; row < TILE_K; row += kRowsB, ++piece) {
      if (TILE_K % kRowsB == 0 || from.b_row + row < TILE_K) copy(row, col, piece);
    }
  }
}

// Global memory to registers.
__device__ __forceinline__ void load_tile(const Source& from, int k0, float (&a)[kPiecesA][kWidthA],
                                          float (&b)[kPiecesB][kWidthB]) {
  for_pieces_of_a<true>(from, [&](int row, int col, int piece) {
    move<kWidthA>(a[piece], from.a + k0 + size_t(row) * from.K + col);
  });
  for_pieces_of_b<true>(from, [&](int row, int col, int piece) {
    move<kWidthB>(b[piece], from.b + size_t(k0 + row) * from.N + col);
  });
}

// Registers to shared memory; A is transposed on the way.
__device__ __forceinline__ void store_tile(const Source& from, float* a_tile, float* b_tile,
                                           const float (&a)[kPiecesA][kWidthA],
                                           const float (&b)[kPiecesB][kWidthB]) {
  for_pieces_of_a<true>(from, [&](int row, int col, int piece) {
#pragma unroll
    for (int j = 0; j < kWidthA; ++j) a_tile[(col + j) * kPitchA + row] = a[piece][j];
  });
  for_pieces_of_b<true>(from, [&](int row, int col, int piece) {
    move<kWidthB>(b_tile + row * kPitchB + col, b[piece]);
  });
}

// Global to shared memory with no register between; returns while the copies are under way.
__device__ __forceinline__ void copy_tile(const Source& from, int k0, float* a_tile,
                                          float* b_tile) {
  for_pieces_of_a<true>(from, [&](int row, int col, int) {
    move_async<kWidthA>(a_tile + col * kPitchA + row,
                        from.a + k0 + size_t(row) * from.K + col);
  });
  for_pieces_of_b<true>(from, [&](int row, int col, int) {
    move_async<kWidthB>(b_tile + row * kPitchB + col,
                        from.b + size_t(k0 + row) * from.N + col);
  });
}

// One float of a tile at an edge: zero for what lies past it. cp.async does not wait for it either.
__device__ __forceinline__ void copy_float(float* to, const float* from, bool inside) {
  if (!inside) {
    *to = 0.0f;
  } else if constexpr (!ASYNC) {
    *to = *from;
  } else {
    move_async<1>(to, from);
  }
}

// The tile at an edge, float by float. Rolled, for it seldom runs.
__device__ __forceinline__ void copy_edge_tile(const Source& from, int k0, float* a_tile,
                                               float* b_tile) {
  for_pieces_of_a<false>(from, [&](int row, int col, int) {
    const float* place = from.a + k0 + size_t(row) * from.K + col;
#pragma unroll
    for (int j = 0; j < kWidthA; ++j) {
      copy_float(a_tile + (col + j) * kPitchA + row, place + j,
                 row < from.a_rows_left && k0 + col + j < from.a_cols_left);
    }
  });
  for_pieces_of_b<false>(from, [&](int row, int col, int) {
    const float* place = from.b + size_t(k0 + row) * from.N + col;
#pragma unroll
    for (int j = 0; j < kWidthB; ++j) {
      copy_float(b_tile + row * kPitchB + col + j, place + j,
                 k0 + row < from.b_rows_left && col + j < from.b_cols_left);
    }
  });
}

// sum += (column k of A's tile) x (row k of B's tile), for all k of the tile.
__device__ __forceinline__ void multiply_tile(const float* a_tile, const float* b_tile,
                                              float (&sum)[THREAD_M][THREAD_N]) {
#pragma unroll kUnroll
  for (int k = 0; k < TILE_K; ++k, a_tile += kPitchA, b_tile += kPitchB) {
    alignas(16) float a[THREAD_M];
    alignas(16) float b[THREAD_N];
#pragma unroll
    for (int i = 0; i < THREAD_M; i += kPackM) {
      move<kPackM>(&a[i], a_tile + i * kThreadRows);
    }
#pragma unroll
    for (int j = 0; j < THREAD_N; j += kPackN) {
      move<kPackN>(&b[j], b_tile + j * kThreadCols);
    }
#pragma unroll
    for (int i = 0; i < THREAD_M; ++i) {
#pragma unroll
      for (int step = 0; step < THREAD_N; ++step) {
        const int j = i % 2 == 0 ? step : THREAD_N - 1 - step;  // to and fro: b[j] is still at hand
        sum[i][j] = fmaf(a[i], b[j], sum[i][j]);
      }
    }
  }
}

// C = alpha * sum + beta * C for a row of the thread's tile, Width floats at a time.
template <int Width>
__device__ __forceinline__ void write_row(float* c_row, int cols_left, float alpha, float beta,
                                          const float (&sum)[THREAD_N]) {
#pragma unroll
  for (int j = 0; j < THREAD_N; j += Width) {
    const int col = j / kPackN * kPackN * kThreadCols + j % kPackN;
    if (col >= cols_left) break;
    alignas(16) float old[Width] = {};
    if (beta != 0.0f) move<Width>(old, c_row + col);  // beta 0: C may hold anything, even NaN
#pragma unroll
    for (int l = 0; l < Width; ++l) old[l] = fmaf(beta, old[l], alpha * sum[j + l]);
    move<Width>(c_row + col, old);
  }
}

// The same for all its rows. `c` is its first element; rows_left and cols_left reach from there to
// the edges of C. The loop over rows stays rolled, to keep the code small: the rows of `sum` move
// up past it, as registers have no index.
__device__ __forceinline__ void write_tile(float* c, int N, int rows_left, int cols_left,
                                           bool aligned, float alpha, float beta,
                                           float (&sum)[THREAD_M][THREAD_N]) {
#pragma unroll 1
  for (int i = 0; i < THREAD_M; ++i) {
    const int row = i / kPackM * kPackM * kThreadRows + i % kPackM;
    if (row >= rows_left) return;
    float* c_row = c + size_t(row) * N;
    if (kWidthC > 1 && aligned) {
      write_row<kWidthC>(c_row, cols_left, alpha, beta, sum[0]);
    } else {
      write_row<1>(c_row, cols_left, alpha, beta, sum[0]);
    }
#pragma unroll
    for (int up = 1; up < THREAD_M; ++up) {
#pragma unroll
      for (int j = 0; j < THREAD_N; ++j) sum[up - 1][j] = sum[up][j];
    }
  }
}

extern "C" __global__ void __launch_bounds__(kThreads, kBlocks)
    gemm_register_tile(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                       float beta) {
  extern __shared__ __align__(16) float shared[];
  const int first_row = blockIdx.y * TILE_M;
  const int first_col = blockIdx.x * TILE_N;
  const int tid = threadIdx.x;

  const int a_row = tid / kLanesA;  // this thread's first piece of each tile
  const int a_col = tid % kLanesA * kWidthA;
  const int b_row = tid / kLanesB;
  const int b_col = tid % kLanesB * kWidthB;
  Source from;
  from.a = A + size_t(first_row + a_row) * K + a_col;
  from.b = B + size_t(b_row) * N + first_col + b_col;
  from.a_row = a_row;
  from.b_row = b_row;
  from.a_rows_left = M - first_row - a_row;
  from.a_cols_left = K - a_col;
  from.b_rows_left = K - b_row;
  from.b_cols_left = N - first_col - b_col;
  from.K = K;
  from.N = N;
  // Where it goes; a stage holds A's tile, then B's.
  float* a_to = shared + a_col * kPitchA + a_row;
  float* b_to = shared + TILE_K * kPitchA + b_row * kPitchB + b_col;

  // Lanes zig-zag over 8 x 4 threads: pairs of lanes then want the same 16 bytes of either operand,
  // which halves the wavefronts of a 128-bit load from shared memory.
  int thread_row = tid / kThreadCols;
  int thread_col = tid % kThreadCols;
  if (kThreadRows % 8 == 0 && kThreadCols % 4 == 0) {
    const int lane = tid % 32;
    const int warp = tid / 32;
    thread_row = warp / (kThreadCols / 4) * 8 + lane / 8 * 2 + lane % 2;
    thread_col = warp % (kThreadCols / 4) * 4 + lane / 2 % 4;
  }
  const float* a_own = shared + thread_row * kPackM;  // where this thread reads
  const float* b_own = shared + TILE_K * kPitchA + thread_col * kPackN;
  alignas(16) float sum[THREAD_M][THREAD_N] = {};

  // Wide accesses need rows that begin aligned. A block at an edge, and the last tile, take care.
  const bool aligned = N % VECTOR == 0 && K % kWidthA == 0;
  const bool inside = aligned && first_row + TILE_M <= M && first_col + TILE_N <= N;
  const int tiles = (K + TILE_K - 1) / TILE_K;
  const int inside_tiles = inside ? K / TILE_K : 0;

#if STAGES == 1
  for (int tile = 0; tile < tiles; ++tile) {
    TILESCOPE_PHASE(load);
    if (tile >= inside_tiles) {
      copy_edge_tile(from, tile * TILE_K, a_to, b_to);
    } else if constexpr (ASYNC) {
      copy_tile(from, tile * TILE_K, a_to, b_to);
    } else {
      alignas(16) float a[kPiecesA][kWidthA];
      alignas(16) float b[kPiecesB][kWidthB];
      load_tile(from, tile * TILE_K, a, b);
      TILESCOPE_PHASE(store_shared);
      store_tile(from, a_to, b_to, a, b);
    }
    TILESCOPE_PHASE(wait);
    if constexpr (ASYNC) asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();  // the tile is whole
    TILESCOPE_PHASE(compute);
    multiply_tile(a_own, b_own, sum);
    TILESCOPE_PHASE(wait);
    __syncthreads();  // nobody reads it any more
  }
#elif ASYNC
  int read = 0;   // first float of the stage that is computed
  int write = 0;  // and of the one that is filled
  for (int tile = 1 - STAGES; tile < tiles; ++tile) {
    if (tile >= 0) {
      TILESCOPE_PHASE(wait);
      asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
      __syncthreads();  // this tile is whole, and nobody reads the one before it any more
    }
    TILESCOPE_PHASE(load);
    const int next = tile + STAGES - 1;
    if (next < inside_tiles) {
      copy_tile(from, next * TILE_K, a_to + write, b_to + write);
    } else if (next < tiles) {
      copy_edge_tile(from, next * TILE_K, a_to + write, b_to + write);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");  // empty groups keep the count right
    write = write == (STAGES - 1) * kStageFloats ? 0 : write + kStageFloats;
    if (tile >= 0) {
      TILESCOPE_PHASE(compute);
      multiply_tile(a_own + read, b_own + read, sum);
      read = read == (STAGES - 1) * kStageFloats ? 0 : read + kStageFloats;
    }
  }
#else
  alignas(16) float a[kPiecesA][kWidthA];
  alignas(16) float b[kPiecesB][kWidthB];
  for (int tile = -1; tile < tiles; ++tile) {
    const int next = tile + 1;
    const int next_stage = next % 2 * kStageFloats;
    TILESCOPE_PHASE(load);
    if (next < inside_tiles) {
      load_tile(from, next * TILE_K, a, b);
    } else if (next < tiles) {  // nobody reads that buffer now
      copy_edge_tile(from, next * TILE_K, a_to + next_stage, b_to + next_stage);
    }
    TILESCOPE_PHASE(compute);
    if (tile >= 0) {
      const int stage = tile % 2 * kStageFloats;
      multiply_tile(a_own + stage, b_own + stage, sum);
    }
    TILESCOPE_PHASE(store_shared);
    if (next < inside_tiles) store_tile(from, a_to + next_stage, b_to + next_stage, a, b);
    TILESCOPE_PHASE(wait);
    __syncthreads();  // the next tile is whole, and nobody reads this one any more
  }
#endif

  TILESCOPE_PHASE(epilogue);
  const int row = first_row + thread_row * kPackM;
  const int col = first_col + thread_col * kPackN;
  float* c = C + size_t(row) * N + col;
  write_tile(c, N, M - row, N - col, aligned, alpha, beta, sum);
}
