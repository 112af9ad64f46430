// C = alpha * A * B + beta * C, all row-major: A is M x K and B is K x N, both bf16; C is M x N,
// f32. New here: the tensor cores multiply 16 x 16 by 16 x 8 elements in one instruction of a warp.
// ldmatrix brings their operands from shared memory, eight rows of 16 bytes at a time: rows that
// lie 64 or 128 bytes apart would all want the same banks. PAD lengthens the rows; SWIZZLE moves
// the pieces of a row by an exclusive or with the row's number instead, and costs no memory.
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
#define WARP_N 32
#endif
#ifndef STAGES
#define STAGES 3
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
constexpr int kStageElements = TILE_M * kPitchA + TILE_K * kPitchB;

// Where a piece of a row lies, in elements. With SWIZZLE the eight rows that one ldmatrix reads
// have their pieces in eight different places of a 128-byte line.
template <int Pitch>
__device__ __forceinline__ int place(int row, int piece) {
  constexpr int pieces = Pitch / kPiece;                                // of a row
  constexpr int rows = pieces < 8 ? 8 / (pieces < 1 ? 1 : pieces) : 1;  // that share a line
  constexpr int ways = pieces < 8 ? pieces : 8;
  const int moved = SWIZZLE != 0 ? piece ^ (row / rows % ways) : piece;
  return row * Pitch + moved * kPiece;
}

// The block copies a tile of Rows x Cols elements to shared memory: with cp.async where a piece
// lies inside the matrix and is aligned, element by element and with zeros where not.
template <int Rows, int Cols, int Pitch>
__device__ __forceinline__ void copy_tile(Bf16* tile, const Bf16* from, int leading, int rows_left,
                                          int cols_left, bool aligned) {
#pragma unroll
  for (int first = 0; first < Rows * Cols; first += kThreads * kPiece) {
    const int i = first + threadIdx.x * kPiece;
    if (i >= Rows * Cols) break;
    const int row = i / Cols;
    const int col = i % Cols;
    Bf16* to = tile + place<Pitch>(row, col / kPiece);
    const Bf16* source = from + static_cast<size_t>(row) * leading + col;
    if (aligned && row < rows_left && col + kPiece <= cols_left) {
      const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
      asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(source)
                   : "memory");
    } else {
#pragma unroll 1
      for (int j = 0; j < kPiece; ++j) {
        to[j] = row < rows_left && col + j < cols_left ? source[j] : static_cast<Bf16>(0);
      }
    }
  }
}

// Four 8 x 8 matrices of shared memory; lane l names row l % 8 of matrix l / 8.
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], const Bf16* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}
__device__ __forceinline__ void load_transposed(unsigned (&to)[4], const Bf16* row) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
               : "r"(address));
}

// sum += a * b for 16 x 8 elements of C: lane l holds two neighbours of row l / 4 and two of row
// l / 4 + 8, from column l % 4 * 2 on.
__device__ __forceinline__ void multiply(float (&sum)[4], const unsigned (&a)[4], unsigned b0,
                                         unsigned b1) {
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 "
      "{%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
      : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

__device__ __forceinline__ void multiply_tile(const Bf16* a_tile, const Bf16* b_tile, int row,
                                              int col, float (&sum)[kMmaRows][kMmaCols][4]) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int k = 0; k < TILE_K; k += 16) {
    unsigned a[kMmaRows][4];
#pragma unroll
    for (int i = 0; i < kMmaRows; ++i) {
      const int a_row = row + i * 16 + lane % 16;
      load_matrices(a[i], a_tile + place<kPitchA>(a_row, k / kPiece + lane / 16));
    }
#pragma unroll
    for (int j = 0; j < kMmaCols; j += 2) {
      unsigned b[4];  // of two products side by side
      load_transposed(b,
                      b_tile + place<kPitchB>(k + lane % 16, (col + j * 8) / kPiece + lane / 16));
#pragma unroll
      for (int i = 0; i < kMmaRows; ++i) {
        multiply(sum[i][j], a[i], b[0], b[1]);
        multiply(sum[i][j + 1], a[i], b[2], b[3]);
      }
    }
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
  extern __shared__ __align__(128) Bf16 shared[];  // a stage holds A's tile, then B's
  const int first_row = blockIdx.y * TILE_M;
  const int first_col = blockIdx.x * TILE_N;
  const int warp = threadIdx.x / 32;
  const int warp_row = warp / kWarpCols * WARP_M;  // its tile in the block's
  const int warp_col = warp % kWarpCols * WARP_N;
  const Bf16* a = A + static_cast<size_t>(first_row) * K;
  const Bf16* b = B + first_col;
  const bool aligned_a = K % kPiece == 0;
  const bool aligned_b = N % kPiece == 0;

  float sum[kMmaRows][kMmaCols][4] = {};
  const int tiles = (K + TILE_K - 1) / TILE_K;
  int read = 0;   // first element of the stage that is computed
  int write = 0;  // and of the one that is filled
  for (int tile = 1 - STAGES; tile < tiles; ++tile) {
    if (tile >= 0) {
      TILESCOPE_PHASE(wait);
      asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 2) : "memory");
      __syncthreads();  // this tile is whole, and nobody reads the one before it any more
    }
    TILESCOPE_PHASE(load);
    const int next = tile + STAGES - 1;
    if (next < tiles) {
      const int k0 = next * TILE_K;
      copy_tile<TILE_M, TILE_K, kPitchA>(shared + write, a + k0, K, M - first_row, K - k0,
                                         aligned_a);
      copy_tile<TILE_K, TILE_N, kPitchB>(shared + write + TILE_M * kPitchA,
                                         b + static_cast<size_t>(k0) * N, N, K - k0, N - first_col,
                                         aligned_b);
    }
    asm volatile("cp.async.commit_group;" ::: "memory");  // empty groups keep the count right
    write = write == (STAGES - 1) * kStageElements ? 0 : write + kStageElements;
    if (tile >= 0) {
      TILESCOPE_PHASE(compute);
      multiply_tile(shared + read, shared + read + TILE_M * kPitchA, warp_row, warp_col, sum);
      read = read == (STAGES - 1) * kStageElements ? 0 : read + kStageElements;
    }
  }

  TILESCOPE_PHASE(epilogue);
  const int lane = threadIdx.x % 32;
  const bool wide = N % 2 == 0;
#pragma unroll
  for (int i = 0; i < kMmaRows; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int row = first_row + warp_row + i * 16 + half * 8 + lane / 4;
      if (row >= M) continue;
#pragma unroll
      for (int j = 0; j < kMmaCols; ++j) {
        const int col = first_col + warp_col + j * 8 + lane % 4 * 2;
        write_pair(C + static_cast<size_t>(row) * N + col, N - col, wide, alpha, beta,
                   sum[i][j][half * 2], sum[i][j][half * 2 + 1]);
      }
    }
  }
}
