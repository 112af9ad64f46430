// C = alpha * A * B + beta * C, all row-major: A is M x K, B is K x N, C is M x N.
// New here: each thread keeps a THREAD_M x THREAD_N tile of C in registers. For a step of k it reads
// THREAD_M + THREAD_N floats from shared memory and does THREAD_M * THREAD_N multiply-adds with them.
// STAGES says how the next tiles of A and B come in while the present one is computed:
//   1   not at all: load, store, compute, one after the other
//   2   the next tile waits in registers, then goes to the second of two buffers
//   3+  a ring of buffers that cp.async fills past the registers, STAGES - 1 tiles ahead
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
#ifndef K_UNROLL
#define K_UNROLL 2
#endif
#ifndef MIN_BLOCKS
#define MIN_BLOCKS 2
#endif

constexpr int kThreadRows = TILE_M / THREAD_M;  // threads down the block's tile of C
constexpr int kThreadCols = TILE_N / THREAD_N;  // and across it
constexpr int kThreads = kThreadRows * kThreadCols;

static_assert(TILE_M % THREAD_M == 0 && TILE_N % THREAD_N == 0, "threads share the tile evenly");
static_assert(TILE_K % VECTOR == 0 && TILE_N % VECTOR == 0, "rows are copied in whole vectors");
static_assert(kThreads % 32 == 0, "the lanes of a warp are laid out as 32");
static_assert(kThreads <= 1024, "a block has at most 1024 threads");

// A thread's rows (and columns) come in packs of neighbours, which one wide load reads from shared
// memory. Its next pack lies kThreadRows packs on, so the packs of a warp's lanes are neighbours too.
constexpr int kPackM = THREAD_M % 4 == 0 ? 4 : THREAD_M;
constexpr int kPackN = THREAD_N % 4 == 0 ? 4 : THREAD_N;

// A's tile is kept transposed, [k][m]. Four floats behind each row keep packs aligned to 16 bytes and
// put the 8 (k) x 4 (m) floats that a warp of cp.async writes into 32 different banks.
constexpr int kPitchA = TILE_M + 4;
constexpr int kPitchB = TILE_N;
constexpr int kStageFloats = TILE_K * (kPitchA + kPitchB);

// Floats per copy. cp.async moves bytes as they are, so to transpose A it takes single floats.
constexpr int kWidthA = STAGES <= 2 ? VECTOR : 1;
constexpr int kWidthB = VECTOR;
constexpr int kCopiesA = TILE_M * TILE_K / kWidthA;
constexpr int kCopiesB = TILE_N * TILE_K / kWidthB;
constexpr int kPassesA = (kCopiesA + kThreads - 1) / kThreads;
constexpr int kPassesB = (kCopiesB + kThreads - 1) / kThreads;

constexpr int kUnroll = K_UNROLL;

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
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  if constexpr (Floats == 4) {  // .cg: past L1, which only 16 bytes may
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  } else {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from),
                 "n"(Floats * 4)
                 : "memory");
  }
}

// The block's inputs: rows from first_row of A, columns from first_col of B.
struct Inputs {
  const float* A;
  const float* B;
  int M, N, K;
  int first_row, first_col;
};

// Where in the tile a copy starts. Lanes run along rows of memory: 8 copies along k, then down A ...
struct Place {
  int k, other;  // other: m in A, n in B
};
__device__ __forceinline__ Place place_in_a(int pass) {
  constexpr int kAlong = TILE_K / kWidthA < 8 ? TILE_K / kWidthA : 8;
  const int copy = pass * kThreads + threadIdx.x;
  return {(copy % kAlong + copy / (kAlong * TILE_M) * kAlong) * kWidthA, copy / kAlong % TILE_M};
}
// ... and along the whole row of B.
__device__ __forceinline__ Place place_in_b(int pass) {
  constexpr int kAlong = TILE_N / kWidthB;
  const int copy = pass * kThreads + threadIdx.x;
  return {copy / kAlong, copy % kAlong * kWidthB};
}
__device__ __forceinline__ bool has_copy_a(int pass) {
  return kCopiesA % kThreads == 0 || pass * kThreads + threadIdx.x < kCopiesA;
}
__device__ __forceinline__ bool has_copy_b(int pass) {
  return kCopiesB % kThreads == 0 || pass * kThreads + threadIdx.x < kCopiesB;
}

// Global memory to registers, zeros for what lies past the edges.
template <bool Edge>
__device__ __forceinline__ void load_tile(const Inputs& in, int k0, float (&a)[kPassesA][kWidthA],
                                          float (&b)[kPassesB][kWidthB]) {
#pragma unroll
  for (int pass = 0; pass < kPassesA; ++pass) {
    const Place at = place_in_a(pass);
    const int row = in.first_row + at.other;
    const int k = k0 + at.k;
    const float* from = in.A + static_cast<size_t>(row) * in.K + k;
    if (!has_copy_a(pass)) continue;
    if (Edge) {
#pragma unroll
      for (int j = 0; j < kWidthA; ++j) a[pass][j] = row < in.M && k + j < in.K ? from[j] : 0.0f;
    } else {
      move<kWidthA>(a[pass], from);
    }
  }
#pragma unroll
  for (int pass = 0; pass < kPassesB; ++pass) {
    const Place at = place_in_b(pass);
    const int k = k0 + at.k;
    const int col = in.first_col + at.other;
    const float* from = in.B + static_cast<size_t>(k) * in.N + col;
    if (!has_copy_b(pass)) continue;
    if (Edge) {
#pragma unroll
      for (int j = 0; j < kWidthB; ++j) b[pass][j] = k < in.K && col + j < in.N ? from[j] : 0.0f;
    } else {
      move<kWidthB>(b[pass], from);
    }
  }
}

// Registers to shared memory; A is transposed on the way.
__device__ __forceinline__ void store_tile(float* a_tile, float* b_tile,
                                           const float (&a)[kPassesA][kWidthA],
                                           const float (&b)[kPassesB][kWidthB]) {
#pragma unroll
  for (int pass = 0; pass < kPassesA; ++pass) {
    const Place at = place_in_a(pass);
    if (!has_copy_a(pass)) continue;
#pragma unroll
    for (int j = 0; j < kWidthA; ++j) a_tile[(at.k + j) * kPitchA + at.other] = a[pass][j];
  }
#pragma unroll
  for (int pass = 0; pass < kPassesB; ++pass) {
    const Place at = place_in_b(pass);
    if (has_copy_b(pass)) move<kWidthB>(b_tile + at.k * kPitchB + at.other, b[pass]);
  }
}

// Global memory to shared memory without a register between; returns while the copies are under way.
template <bool Edge>
__device__ __forceinline__ void copy_tile_async(const Inputs& in, int k0, float* a_tile,
                                                float* b_tile) {
#pragma unroll
  for (int pass = 0; pass < kPassesA; ++pass) {
    const Place at = place_in_a(pass);
    const int row = in.first_row + at.other;
    const int k = k0 + at.k;
    const float* from = in.A + static_cast<size_t>(row) * in.K + k;
    float* to = a_tile + at.k * kPitchA + at.other;
    if (!has_copy_a(pass)) continue;
    if (!Edge || (row < in.M && k < in.K)) {
      move_async<1>(to, from);
    } else {
      *to = 0.0f;
    }
  }
#pragma unroll
  for (int pass = 0; pass < kPassesB; ++pass) {
    const Place at = place_in_b(pass);
    const int k = k0 + at.k;
    const int col = in.first_col + at.other;
    const float* from = in.B + static_cast<size_t>(k) * in.N + col;
    float* to = b_tile + at.k * kPitchB + at.other;
    if (!has_copy_b(pass)) continue;
    if (Edge) {
#pragma unroll
      for (int j = 0; j < kWidthB; ++j) {
        if (k < in.K && col + j < in.N) {
          move_async<1>(to + j, from + j);
        } else {
          to[j] = 0.0f;
        }
      }
    } else {
      move_async<kWidthB>(to, from);
    }
  }
}

// sum += (column k of A's tile) x (row k of B's tile), for all k of the tile.
__device__ __forceinline__ void multiply_tile(const float* a_tile, const float* b_tile,
                                              float (&sum)[THREAD_M][THREAD_N]) {
#pragma unroll kUnroll
  for (int k = 0; k < TILE_K; ++k) {
    alignas(16) float a[THREAD_M];
    alignas(16) float b[THREAD_N];
#pragma unroll
    for (int i = 0; i < THREAD_M; i += kPackM) {
      move<kPackM>(&a[i], a_tile + k * kPitchA + i * kThreadRows);
    }
#pragma unroll
    for (int j = 0; j < THREAD_N; j += kPackN) {
      move<kPackN>(&b[j], b_tile + k * kPitchB + j * kThreadCols);
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

extern "C" __global__ void __launch_bounds__(kThreads, MIN_BLOCKS)
    gemm_register_tile(const float* A, const float* B, float* C, int M, int N, int K, float alpha,
                       float beta) {
  extern __shared__ __align__(16) float shared[];
  const Inputs in{A, B, M, N, K, static_cast<int>(blockIdx.y) * TILE_M,
                  static_cast<int>(blockIdx.x) * TILE_N};
  const int tiles = (K + TILE_K - 1) / TILE_K;

  // Wide copies need rows that start aligned; a block at an edge, and the last tile, need care.
  const bool aligned = N % kWidthB == 0 && K % kWidthA == 0;
  const bool inside = aligned && in.first_row + TILE_M <= M && in.first_col + TILE_N <= N;
  const int inside_tiles = inside ? K / TILE_K : 0;

  // Lanes zig-zag over 8 rows x 4 columns of threads: in both operands, pairs of lanes then want the
  // same 16 bytes, which halves the wavefronts of a 128-bit load.
  const int lane = threadIdx.x % 32;
  const int warp = threadIdx.x / 32;
  int thread_row = threadIdx.x / kThreadCols;
  int thread_col = threadIdx.x % kThreadCols;
  if (kThreadRows % 8 == 0 && kThreadCols % 4 == 0) {
    thread_row = warp / (kThreadCols / 4) * 8 + lane / 8 * 2 + lane % 2;
    thread_col = warp % (kThreadCols / 4) * 4 + lane / 2 % 4;
  }
  float* a_tiles = shared;                      // a stage holds A's tile, then B's
  float* b_tiles = shared + TILE_K * kPitchA;
  const float* a_own = a_tiles + thread_row * kPackM;  // where this thread reads
  const float* b_own = b_tiles + thread_col * kPackN;

  float sum[THREAD_M][THREAD_N] = {};

#if STAGES == 1
  for (int tile = 0; tile < tiles; ++tile) {
    alignas(16) float a_next[kPassesA][kWidthA];
    alignas(16) float b_next[kPassesB][kWidthB];
    TILESCOPE_PHASE(load);
    if (tile < inside_tiles) {
      load_tile<false>(in, tile * TILE_K, a_next, b_next);
    } else {
      load_tile<true>(in, tile * TILE_K, a_next, b_next);
    }
    TILESCOPE_PHASE(store_shared);
    store_tile(a_tiles, b_tiles, a_next, b_next);
    TILESCOPE_PHASE(wait);
    __syncthreads();  // the tiles are whole
    TILESCOPE_PHASE(compute);
    multiply_tile(a_own, b_own, sum);
    TILESCOPE_PHASE(wait);
    __syncthreads();  // nobody reads them any more
  }
#elif STAGES == 2
  alignas(16) float a_next[kPassesA][kWidthA];
  alignas(16) float b_next[kPassesB][kWidthB];
  for (int tile = -1; tile < tiles; ++tile) {
    TILESCOPE_PHASE(load);
    if (tile + 1 < inside_tiles) {
      load_tile<false>(in, (tile + 1) * TILE_K, a_next, b_next);
    } else if (tile + 1 < tiles) {
      load_tile<true>(in, (tile + 1) * TILE_K, a_next, b_next);
    }
    TILESCOPE_PHASE(compute);
    if (tile >= 0) {
      multiply_tile(a_own + tile % 2 * kStageFloats, b_own + tile % 2 * kStageFloats, sum);
    }
    TILESCOPE_PHASE(store_shared);
    const int next = (tile + 1) % 2 * kStageFloats;
    if (tile + 1 < tiles) store_tile(a_tiles + next, b_tiles + next, a_next, b_next);
    TILESCOPE_PHASE(wait);
    __syncthreads();  // the next tile is whole, and nobody reads the present one any more
  }
#else
  int read = 0;   // stage of the ring that is computed
  int write = 0;  // stage that is filled
  for (int tile = 1 - STAGES; tile < tiles; ++tile) {
    if (tile >= 0) {
      TILESCOPE_PHASE(wait);
      asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
      __syncthreads();  // this tile is whole for all, and the stage before it is free
    }
    TILESCOPE_PHASE(load);
    const int next = tile + STAGES - 1;
    if (next < inside_tiles) {
      copy_tile_async<false>(in, next * TILE_K, a_tiles + write, b_tiles + write);
    } else if (next < tiles) {
      copy_tile_async<true>(in, next * TILE_K, a_tiles + write, b_tiles + write);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");  // an empty group counts as well
    write = write == (STAGES - 1) * kStageFloats ? 0 : write + kStageFloats;
    if (tile >= 0) {
      TILESCOPE_PHASE(compute);
      multiply_tile(a_own + read, b_own + read, sum);
      read = read == (STAGES - 1) * kStageFloats ? 0 : read + kStageFloats;
    }
  }
#endif

  TILESCOPE_PHASE(epilogue);
  const bool wide = N % VECTOR == 0;
#pragma unroll
  for (int i = 0; i < THREAD_M; ++i) {
    // Row i of the thread: place i % kPackM in its pack number i / kPackM.
    const int row = in.first_row + (i / kPackM * kThreadRows + thread_row) * kPackM + i % kPackM;
#pragma unroll
    for (int j = 0; j < THREAD_N; ++j) {
      const int col = in.first_col + (j / kPackN * kThreadCols + thread_col) * kPackN + j % kPackN;
      if (row < M && col < N) {
        float* c = C + static_cast<size_t>(row) * N + col;
        const float product = alpha * sum[i][j];
        *c = beta == 0.0f ? product : fmaf(beta, *c, product);
      }
    }
  }
}
