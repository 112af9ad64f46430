// C = alpha * A * B + beta * C, all row-major: A is M x K and B is K x N, both bf16; C is M x N,
// f32. New here: a warp group, four warps, multiplies 64 x 16 by 16 x TILE_N elements in one
// instruction, wgmma, which reads both operands from shared memory by itself: no ldmatrix, no
// registers for A and B. A descriptor of 64 bits says where a tile lies and how its pieces of 16
// bytes are swizzled. The products run on while the warps fetch the tiles to come; a warp waits
// only before it reads the sums or lets a tile be overwritten.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE_M
#define TILE_M 128
#endif
#ifndef TILE_N
#define TILE_N 256
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef BAND
#define BAND 8
#endif

static_assert(TILE_M % 64 == 0, "a warp group has 64 rows");
static_assert(TILE_N == 64 || TILE_N == 128 || TILE_N == 256, "written for these products");
static_assert(STAGES >= 3, "one tile is computed, one may still be read, one comes in");

using Bf16 = unsigned short;  // the bits
using Descriptor = unsigned long long;

constexpr int kThreads = TILE_M / 64 * 128;
constexpr int kTileK = 64;  // a row of A's tile is 128 bytes, as long as the swizzle's pattern
constexpr int kPiece = 8;   // elements that are moved together: 16 bytes
constexpr unsigned kRowBytes = 128;
constexpr unsigned kPatternBytes = 8 * kRowBytes;
constexpr unsigned kTileBytesA = TILE_M * kRowBytes;
constexpr unsigned kBlockBytesB = kTileK * kRowBytes;  // B's tile is blocks of 64 columns
constexpr unsigned kStageBytes = kTileBytesA + TILE_N / 64 * kBlockBytesB;  // A's, then B's
constexpr int kSums = TILE_N / 2;                                           // of a thread

// Where a piece of a row of 128 bytes lies. The eight rows of a pattern have theirs in eight
// different places.
__device__ __forceinline__ unsigned place(unsigned row, unsigned piece) {
  return row * kRowBytes + (piece ^ row % 8) * 16;
}

// What the block multiplies: a band of rows of A and one of columns of B.
struct Bands {
  const Bf16* a;
  const Bf16* b;
  int rows;  // that A's has before the matrix ends
  int cols;  // and B's
  int N, K;
};

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
  constexpr int kPiecesA = kTileK / kPiece;
  const int row_a = threadIdx.x / kPiecesA;
  const int piece_a = threadIdx.x % kPiecesA;
#pragma unroll
  for (int row = row_a; row < TILE_M; row += kThreads / kPiecesA) {
    copy_piece(stage + place(row, piece_a),
               bands.a + size_t(row) * bands.K + k0 + piece_a * kPiece,
               row < bands.rows && k0 + piece_a * kPiece < bands.K, wanted);
  }
  constexpr int kPiecesB = TILE_N / kPiece;
  constexpr int kRowsB = kThreads / kPiecesB;  // that the block copies at a time
  const int depth_b = threadIdx.x / kPiecesB;
  const int piece_b = threadIdx.x % kPiecesB;
#pragma unroll
  for (int depth = 0; depth < kTileK; depth += kRowsB) {
    const int k = depth + depth_b;
    if (kTileK % kRowsB != 0 && k >= kTileK) break;
    copy_piece(stage + kTileBytesA + piece_b / 8 * kBlockBytesB + place(k, piece_b % 8),
               bands.b + size_t(k0 + k) * bands.N + piece_b * kPiece,
               k0 + k < bands.K && piece_b * kPiece < bands.cols, wanted);
  }
}

// A group of copies ends here; an empty one keeps the count right.
__device__ __forceinline__ void commit_copies() {
  asm volatile("cp.async.commit_group;" ::: "memory");
}

// Until the oldest tiles that are under way are whole, for the tensor cores too, which read shared
// memory past the threads' own way to it.
__device__ __forceinline__ void wait_for_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 3) : "memory");
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
}

// A tile in shared memory: its place, the bytes to the next 64 columns, the bytes to the next
// pattern of eight rows, and a swizzle of 128 bytes.
__device__ __forceinline__ Descriptor describe(unsigned address, unsigned leading) {
  return static_cast<Descriptor>(address >> 4) | static_cast<Descriptor>(leading >> 4) << 16 |
         static_cast<Descriptor>(kPatternBytes >> 4) << 32 | Descriptor{1} << 62;
}

__device__ __forceinline__ void begin_products() {
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}
__device__ __forceinline__ void commit_products() {
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}
template <int Left>
__device__ __forceinline__ void wait_for_products() {
  asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(Left) : "memory");
}

#define SUMS_8(i)                                                                               \
  "+f"(sum[i]), "+f"(sum[(i) + 1]), "+f"(sum[(i) + 2]), "+f"(sum[(i) + 3]), "+f"(sum[(i) + 4]), \
      "+f"(sum[(i) + 5]), "+f"(sum[(i) + 6]), "+f"(sum[(i) + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8((i) + 8), SUMS_8((i) + 16), SUMS_8((i) + 24)
#define NAMES_32                                                                     \
  "%0, %1, %2, %3, %4, %5, %6, %7, %8, %9, %10, %11, %12, %13, %14, %15, %16, %17, " \
  "%18, %19, %20, %21, %22, %23, %24, %25, %26, %27, %28, %29, %30, %31"
#define NAMES_64                                                                       \
  NAMES_32                                                                             \
  ", %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, %45, %46, %47, " \
  "%48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, %63"
#define NAMES_128                                                                          \
  NAMES_64                                                                                 \
  ", %64, %65, %66, %67, %68, %69, %70, %71, %72, %73, %74, %75, %76, %77, %78, %79, "     \
  "%80, %81, %82, %83, %84, %85, %86, %87, %88, %89, %90, %91, %92, %93, %94, %95, "       \
  "%96, %97, %98, %99, %100, %101, %102, %103, %104, %105, %106, %107, %108, %109, %110, " \
  "%111, %112, %113, %114, %115, %116, %117, %118, %119, %120, %121, %122, %123, %124, "   \
  "%125, %126, %127"

// sum += a * b, 64 x 16 elements of A by 16 x TILE_N of B, which lies row by row.
__device__ __forceinline__ void multiply(float (&sum)[kSums], Descriptor a, Descriptor b) {
#if TILE_N == 64
  asm volatile("wgmma.mma_async.sync.aligned.m64n64k16.f32.bf16.bf16 {" NAMES_32
               "}, %32, %33, 1, 1, 1, 0, 1;"
               : SUMS_32(0)
               : "l"(a), "l"(b));
#elif TILE_N == 128
  asm volatile("wgmma.mma_async.sync.aligned.m64n128k16.f32.bf16.bf16 {" NAMES_64
               "}, %64, %65, 1, 1, 1, 0, 1;"
               : SUMS_32(0), SUMS_32(32)
               : "l"(a), "l"(b));
#else
  asm volatile("wgmma.mma_async.sync.aligned.m64n256k16.f32.bf16.bf16 {" NAMES_128
               "}, %128, %129, 1, 1, 1, 0, 1;"
               : SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96)
               : "l"(a), "l"(b));
#endif
}

// The products of a whole stage, started and left to themselves.
__device__ __forceinline__ void multiply_tiles(float (&sum)[kSums], unsigned stage) {
  const unsigned a = stage + threadIdx.x / 128 * 64 * kRowBytes;
  begin_products();
#pragma unroll
  for (unsigned k = 0; k < kTileK; k += 16) {
    multiply(sum, describe(a + k * sizeof(Bf16), 0),
             describe(stage + kTileBytesA + k * kRowBytes, kBlockBytesB));
  }
  commit_products();
}

// Rows that are not 16-byte aligned are copied element by element, into one stage.
__device__ __forceinline__ void multiply_unaligned(char* stage, const Bands& bands,
                                                   float (&sum)[kSums]) {
#pragma unroll 1
  for (int k0 = 0; k0 < bands.K; k0 += kTileK) {
    TILESCOPE_PHASE(load);
#pragma unroll 4
    for (int i = threadIdx.x; i < TILE_M * kTileK; i += kThreads) {
      const int row = i / kTileK;
      const int k = i % kTileK;
      const Bf16 element = row < bands.rows && k0 + k < bands.K
                               ? bands.a[size_t(row) * bands.K + k0 + k]
                               : Bf16{0};
      *reinterpret_cast<Bf16*>(stage + place(row, k / kPiece) + k % kPiece * sizeof(Bf16)) =
          element;
    }
#pragma unroll 4
    for (int i = threadIdx.x; i < kTileK * TILE_N; i += kThreads) {
      const int k = i / TILE_N;
      const int col = i % TILE_N;
      const Bf16 element = k0 + k < bands.K && col < bands.cols
                               ? bands.b[size_t(k0 + k) * bands.N + col]
                               : Bf16{0};
      *reinterpret_cast<Bf16*>(stage + kTileBytesA + col / 64 * kBlockBytesB +
                               place(k, col % 64 / kPiece) + col % kPiece * sizeof(Bf16)) = element;
    }
    TILESCOPE_PHASE(wait);
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    __syncthreads();
    TILESCOPE_PHASE(compute);
    multiply_tiles(sum, unsigned(__cvta_generic_to_shared(stage)));
    wait_for_products<0>();
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

// The tile of C of this block. Blocks are numbered down BAND rows of tiles before they go on to the
// next column, so that those that run at the same time share rows of A and columns of B in L2.
__device__ __forceinline__ int2 tile_of_block() {
  const int number = blockIdx.y * gridDim.x + blockIdx.x;
  const int band_tiles = BAND * gridDim.x;
  const int band = number / band_tiles;
  const int rows = min(BAND, int(gridDim.y) - band * BAND);
  const int in_band = number - band * band_tiles;
  return make_int2(in_band / rows, band * BAND + in_band % rows);
}

extern "C" __global__ void __launch_bounds__(kThreads)
    gemm_warpgroup(const Bf16* A, const Bf16* B, float* C, int M, int N, int K, float alpha,
                   float beta) {
  extern __shared__ __align__(1024) char shared[];  // a ring of STAGES stages
  constexpr unsigned kRingBytes = STAGES * kStageBytes;
  const unsigned ring = unsigned(__cvta_generic_to_shared(shared));
  const int2 tile = tile_of_block();
  const int first_row = tile.y * TILE_M;
  const int first_col = tile.x * TILE_N;
  const Bands bands = {
      A + size_t(first_row) * K, B + first_col, M - first_row, N - first_col, N, K};
  float sum[kSums] = {};
  if (K % kPiece != 0 || N % kPiece != 0) {
    multiply_unaligned(shared, bands, sum);
  } else {  // one tile is multiplied, the one before may still be read, STAGES - 2 come in
    TILESCOPE_PHASE(load);
    unsigned write = 0;  // the stage that is filled next
    unsigned read = 0;   // and the one that is multiplied
    for (int stage = 0; stage < STAGES - 2; ++stage, write += kStageBytes) {
      copy_tiles(ring + write, bands, stage * kTileK);
      commit_copies();
    }
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += kTileK) {
      TILESCOPE_PHASE(wait);
      wait_for_copies();
      TILESCOPE_PHASE(compute);
      multiply_tiles(sum, ring + read);
      read = read + kStageBytes == kRingBytes ? 0 : read + kStageBytes;
      TILESCOPE_PHASE(load);
      copy_tiles(ring + write, bands, k0 + (STAGES - 2) * kTileK);
      commit_copies();
      write = write + kStageBytes == kRingBytes ? 0 : write + kStageBytes;
      TILESCOPE_PHASE(wait);
      wait_for_products<1>();  // those of the tile before
    }
    wait_for_products<0>();
  }

  TILESCOPE_PHASE(epilogue);
  const int lane = threadIdx.x % 32;
  const int warp_row = first_row + threadIdx.x / 32 * 16;
  const bool wide = N % 2 == 0;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = warp_row + half * 8 + lane / 4;
    if (row >= M) continue;
#pragma unroll
    for (int j = 0; j < TILE_N / 8; ++j) {
      const int col = first_col + j * 8 + lane % 4 * 2;
      write_pair(C + size_t(row) * N + col, N - col, wide, alpha, beta,
                 sum[j * 4 + half * 2], sum[j * 4 + half * 2 + 1]);
    }
  }
}
