// C = alpha * A * B + beta * C, all row-major: A is M x K and B is K x N, both bf16; C is M x N,
// f32. New here: the tensor cores multiply 16 x 16 by 16 x 8 elements in one instruction of a warp.
// ldmatrix brings their operands from shared memory, eight rows of 16 bytes at a time: rows that
// lie 64 or 128 bytes apart would all want the same banks. PAD lengthens the rows; SWIZZLE moves
// the pieces of a row by an exclusive or with the row's number instead, and costs no memory.
// While the tensor cores multiply one slice, 16 columns of A and rows of B, ldmatrix fetches the
// next one, over the border between two tiles too.
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
#define TILE_K 32
#endif
#ifndef WARP_M
#define WARP_M 64
#endif
#ifndef WARP_N
#define WARP_N 64
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef PAD
#define PAD 0
#endif
#ifndef SWIZZLE
#define SWIZZLE 1
#endif

static_assert(TILE_M % WARP_M == 0 && TILE_N % WARP_N == 0, "warps share the tile evenly");
static_assert(WARP_M % 16 == 0 && WARP_N % 16 == 0 && TILE_K % 16 == 0, "products are 16 x 8 x 16");
static_assert(PAD % 8 == 0, "ldmatrix reads rows of 16 bytes, aligned to 16 bytes");
static_assert(SWIZZLE == 0 || PAD == 0, "one of the two is enough");
static_assert(STAGES >= 2, "the next tile comes in while this one is computed");

using Bf16 = unsigned short;  // the bits

constexpr int kWarpCols = TILE_N / WARP_N;
constexpr int kThreads = TILE_M / WARP_M * kWarpCols * 32;
constexpr int kMmaRows = WARP_M / 16;  // products of a warp down its tile
constexpr int kMmaCols = WARP_N / 8;   // and across it
constexpr int kPiece = 8;              // elements that are moved together: 16 bytes
constexpr int kPitchA = TILE_K + PAD;
constexpr int kPitchB = TILE_N + PAD;
constexpr unsigned kTileBytesA = sizeof(Bf16) * TILE_M * kPitchA;
constexpr unsigned kStageBytes = kTileBytesA + sizeof(Bf16) * TILE_K * kPitchB;  // A's, then B's

// Where a piece of a row lies in its tile, in bytes. With SWIZZLE the eight rows that one ldmatrix
// reads have their pieces in eight different places of a 128-byte line.
template <int Pitch>
__device__ __forceinline__ unsigned place(unsigned row, unsigned piece) {
  constexpr unsigned pieces = Pitch / kPiece;             // of a row
  constexpr unsigned rows = pieces < 8 ? 8 / pieces : 1;  // that share a line
  constexpr unsigned ways = pieces < 8 ? pieces : 8;
  const unsigned moved = SWIZZLE != 0 ? piece ^ row / rows % ways : piece;
  return (row * Pitch + moved * kPiece) * sizeof(Bf16);
}

// What the block multiplies: a band of rows of A and one of columns of B.
struct Bands {
  const Bf16* a;
  const Bf16* b;
  int rows;  // that A's has before the matrix ends
  int cols;  // and B's
  int N, K;
};

// The pieces of a tile of Rows x Cols elements that one thread copies; neighbouring lanes have
// neighbouring pieces. Calls copy(row, piece).
template <int Rows, int Cols, typename Copy>
__device__ __forceinline__ void for_pieces(Copy copy) {
  constexpr int kRowPieces = Cols / kPiece;
  constexpr int kRows = kThreads / kRowPieces;  // that the block copies at a time
  static_assert(kThreads % kRowPieces == 0, "the block copies whole rows");
  const int first = int(threadIdx.x / kRowPieces);
  const int piece = int(threadIdx.x % kRowPieces);
#pragma unroll
  for (int row = 0; row < Rows; row += kRows) {
    if (Rows % kRows == 0 || first + row < Rows) copy(first + row, piece);
  }
}

// 16 bytes on their way to shared memory, if they are wanted; zeros where they would lie past the
// matrix's edge.
__device__ __forceinline__ void copy_piece(unsigned to, const Bf16* from, bool inside,
                                           bool wanted) {
  asm volatile(
      "{\n"
      "  .reg .pred wanted;\n"
      "  setp.ne.u32 wanted, %3, 0;\n"
      "  @wanted cp.async.cg.shared.global [%0], [%1], 16, %2;\n"
      "}\n" ::"r"(to),
      "l"(from), "r"(inside ? 16 : 0), "r"(unsigned(wanted))
      : "memory");
}

// Both tiles at depth k0, whose rows are 16-byte aligned in A and B. Returns at once.
__device__ __forceinline__ void copy_tiles(unsigned stage, const Bands& bands, int k0) {
  const bool wanted = k0 < bands.K;
  for_pieces<TILE_M, TILE_K>([&](int row, int piece) {
    const Bf16* from = bands.a + size_t(row) * bands.K + k0 + piece * kPiece;
    copy_piece(stage + place<kPitchA>(row, piece), from,
               row < bands.rows && k0 + piece * kPiece < bands.K, wanted);
  });
  for_pieces<TILE_K, TILE_N>([&](int row, int piece) {
    const Bf16* from = bands.b + size_t(k0 + row) * bands.N + piece * kPiece;
    copy_piece(stage + kTileBytesA + place<kPitchB>(row, piece), from,
               k0 + row < bands.K && piece * kPiece < bands.cols, wanted);
  });
}

// A group of copies ends here; an empty one keeps the count right.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Until the oldest tiles that are under way are whole. No warp reads the tiles before them any
// more.
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
  __syncthreads();
}

// Four 8 x 8 matrices of shared memory; lane l names row l % 8 of matrix l / 8.
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], unsigned row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row));
}
__device__ __forceinline__ void load_transposed(unsigned (&to)[4], unsigned row) {
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(row));
}

// sum += a * b for 16 x 8 elements of C: lane l holds two neighbours of row l / 4 and two of row
// l / 4 + 8, from column l % 4 * 2 on.
__device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                         unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

// A warp's operands for one slice.
struct Slice {
  unsigned a[kMmaRows][4];
  unsigned b[kMmaCols / 2][4];  // of two products side by side
};

__device__ __forceinline__ void load_slice(Slice& to, unsigned stage, unsigned k) {
  const unsigned warp = threadIdx.x / 32;
  const unsigned row = warp / kWarpCols * WARP_M + threadIdx.x % 16;
  const unsigned col_piece = warp % kWarpCols * (WARP_N / kPiece);
  const unsigned lane_piece = threadIdx.x / 16 % 2;
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
    load_matrices(to.a[i], stage + place<kPitchA>(row + i * 16, k / kPiece ^ lane_piece));
  }
#pragma unroll
  for (int j = 0; j < kMmaCols / 2; ++j) {
    load_transposed(
        to.b[j],
        stage + kTileBytesA + place<kPitchB>(k + threadIdx.x % 16, col_piece ^ j * 2 ^ lane_piece));
  }
}

using Sums = float[kMmaRows][kMmaCols][4];

__device__ __forceinline__ void multiply_slice(const Slice& slice, Sums& sum) {
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
    for (int step = 0; step < kMmaCols; ++step) {
      const int j = i % 2 == 0 ? step : kMmaCols - 1 - step;  // to and fro
      multiply(sum[i][j], slice.a[i], slice.b[j / 2][j % 2 * 2], slice.b[j / 2][j % 2 * 2 + 1]);
    }
  }
}

// Rows that are not 16-byte aligned are copied element by element, into one stage.
template <int Rows, int Cols, int Pitch>
__device__ __forceinline__ void copy_elements(char* tile, const Bf16* from, int leading, int rows,
                                              int cols) {
#pragma unroll 8
  for (int i = threadIdx.x; i < Rows * Cols; i += kThreads) {
    const int row = i / Cols;
    const int col = i % Cols;
    const Bf16 element =
        row < rows && col < cols ? from[size_t(row) * leading + col] : Bf16{0};
    *reinterpret_cast<Bf16*>(tile + place<Pitch>(row, col / kPiece) + col % kPiece * sizeof(Bf16)) =
        element;
  }
}

__device__ __forceinline__ void multiply_unaligned(char* stage, const Bands& bands, Sums& sum) {
#pragma unroll 1
  for (int k0 = 0; k0 < bands.K; k0 += TILE_K) {
    TILESCOPE_PHASE(load);
    copy_elements<TILE_M, TILE_K, kPitchA>(stage, bands.a + k0, bands.K, bands.rows, bands.K - k0);
    copy_elements<TILE_K, TILE_N, kPitchB>(stage + kTileBytesA,
                                           bands.b + size_t(k0) * bands.N, bands.N,
                                           bands.K - k0, bands.cols);
    TILESCOPE_PHASE(wait);
    __syncthreads();
    TILESCOPE_PHASE(compute);
#pragma unroll 1
    for (int k = 0; k < TILE_K; k += 16) {
      Slice slice;
      load_slice(slice, unsigned(__cvta_generic_to_shared(stage)), k);
      multiply_slice(slice, sum);
    }
    __syncthreads();
  }
}

// Two neighbours of a row of C, of which `left` columns are left.
__device__ __forceinline__ void write_pair(float* c, int left, bool wide, float alpha, float beta,
                                           float first, float second) {
  first *= alpha;
  second *= alpha;
  if (beta != 0.0f) {  // beta 0: C may hold anything, even NaN
    if (left > 0) first = fmaf(beta, c[0], first);
    if (left > 1) second = fmaf(beta, c[1], second);
  }
  if (wide && left > 1) {
    *reinterpret_cast<float2*>(c) = make_float2(first, second);
  } else {
    if (left > 0) c[0] = first;
    if (left > 1) c[1] = second;
  }
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_tensor_core(const Bf16* A, const Bf16* B, float* C, int M, int N, int K, float alpha,
                     float beta) {
  extern __shared__ __align__(128) char shared[];  // a ring of STAGES stages
  constexpr unsigned kRingBytes = STAGES * kStageBytes;
  const unsigned ring = unsigned(__cvta_generic_to_shared(shared));
  const int first_row = blockIdx.y * TILE_M;
  const int first_col = blockIdx.x * TILE_N;
  const Bands bands = {
      A + size_t(first_row) * K, B + first_col, M - first_row, N - first_col, N, K};
  Sums sum = {};
  if (K % kPiece != 0 || N % kPiece != 0) {
    multiply_unaligned(shared, bands, sum);
  } else {               // STAGES - 1 pairs of tiles are under way or wait while one is multiplied
    unsigned write = 0;  // the stage that is filled next
    unsigned read = 0;   // and the one that is multiplied
    TILESCOPE_PHASE(load);
    for (int stage = 0; stage < STAGES - 1; ++stage, write += kStageBytes) {
      copy_tiles(ring + write, bands, stage * TILE_K);
      commit_copies();
    }
    TILESCOPE_PHASE(wait);
    wait_for_copies();
    Slice slice;
    load_slice(slice, ring, 0);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += TILE_K) {
      TILESCOPE_PHASE(load);
      copy_tiles(ring + write, bands, k0 + (STAGES - 1) * TILE_K);
      commit_copies();
      write = write + kStageBytes == kRingBytes ? 0 : write + kStageBytes;
#pragma unroll
      for (int k = 0; k < TILE_K; k += 16) {
        const bool last = k + 16 == TILE_K;
        if (last) {  // the next slice lies in the next tile, or there is none: then any will do
          TILESCOPE_PHASE(wait);
          wait_for_copies();
          const unsigned after = read + kStageBytes == kRingBytes ? 0 : read + kStageBytes;
          read = k0 + TILE_K < K ? after : read;
        }
        TILESCOPE_PHASE(compute);
        Slice next;
        load_slice(next, ring + read, last ? 0 : k + 16);
        multiply_slice(slice, sum);
        slice = next;
      }
    }
  }

  TILESCOPE_PHASE(epilogue);
  const int warp = threadIdx.x / 32;
  const int warp_row = first_row + warp / kWarpCols * WARP_M;
  const int warp_col = first_col + warp % kWarpCols * WARP_N;
  const int lane = threadIdx.x % 32;
  const bool wide = N % 2 == 0;
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = warp_row + i * 16 + half * 8 + lane / 4;
      if (row >= M) continue;
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) {
        const int col = warp_col + j * 8 + lane % 4 * 2;
        write_pair(C + size_t(row) * N + col, N - col, wide, alpha, beta,
                   sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
      }
    }
  }
}
