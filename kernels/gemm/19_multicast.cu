// C = alpha * A * B + beta * C, all row-major: A is M x K and B is K x N, both bf16; C is M x N,
// f32. New here: two blocks on neighbouring SMs, a cluster, compute two tiles of C below each other
// and so need the same columns of B. Each fetches half of them and sends its half to both
// (multicast), so that the L2 reads B half as often. A stage is empty when the warps of both
// blocks have read it.
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

static_assert(TILE_M == 64 || TILE_M == 128, "one or two warp groups of 64 rows");
static_assert(TILE_N == 64 || TILE_N == 128 || TILE_N == 256, "written for these products");
static_assert(STAGES >= 2, "one stage is read while another comes in");

struct __align__(64) TensorMap {  // the driver's CUtensorMap
  unsigned long long words[16];
};
using Descriptor = unsigned long long;
using Barrier = unsigned long long;

constexpr int kGroup = 128;  // threads of a warp group
constexpr int kConsumers = TILE_M / 64;
constexpr int kThreads = (kConsumers + 1) * kGroup;  // the last group is the producer
constexpr int kTileK = 64;                           // 128 bytes, the swizzle's row
constexpr unsigned kRowBytes = 128;
constexpr unsigned kPatternBytes = 8 * kRowBytes;
constexpr unsigned kTileBytesA = TILE_M * kRowBytes;
constexpr int kBlocks = 2;                               // of a cluster
constexpr unsigned kBlockBytesB = kTileK * kRowBytes;    // B's tile is blocks of 64 columns
constexpr unsigned kBoxBytesB = kBlockBytesB / kBlocks;  // of which a copy takes half the rows
constexpr unsigned kStageBytes = kTileBytesA + TILE_N / 64 * kBlockBytesB;  // A's, then B's
constexpr int kSums = TILE_N / 2;                                           // of a thread
constexpr int kProducerRegisters = 40;
constexpr int kConsumerRegisters = kConsumers == 1 ? 240 : 232;

__device__ __forceinline__ unsigned address_of(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

__device__ __forceinline__ void init_barrier(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
// At the barrier in the same place of that block of the cluster.
__device__ __forceinline__ void arrive_at(unsigned block, unsigned barrier) {
  asm volatile(
      "{ .reg .b32 there;\n mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
      "r"(block)
      : "memory");
}
__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ unsigned rank_in_cluster() {
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  return rank;
}
// Arrives, and lets the barrier wait for this many bytes of copies too.
__device__ __forceinline__ void expect_bytes(unsigned barrier, unsigned bytes) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(bytes)
               : "memory");
}
// Until the phase of this parity is complete.
__device__ __forceinline__ void wait_for(unsigned barrier, unsigned parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

// Starts the copy of the box at this column and row; `barrier` counts its bytes.
__device__ __forceinline__ void copy_box(unsigned to, const TensorMap& map, int col, int row,
                                         unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3}], [%4];" ::"r"(to),
      "l"(&map), "r"(col), "r"(row), "r"(barrier)
      : "memory");
}

// The same into the same place of both blocks of the cluster, whose barriers count it.
__device__ __forceinline__ void copy_box_to_both(unsigned to, const TensorMap& map, int col,
                                                 int row, unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(col), "r"(row), "r"(barrier), "h"(static_cast<unsigned short>(3))
      : "memory");
}

// A place in the ring, and the parity of its barriers' phase.
struct Stage {
  unsigned index = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void next() {
    if (++index < STAGES) return;
    index = 0;
    parity ^= 1;
  }
};

// What the producer's one thread does for a tile of C.
__device__ __forceinline__ void copy_bands(const TensorMap& A, const TensorMap& B, int first_row,
                                           int first_col, int K, unsigned ring, unsigned full,
                                           unsigned empty, Stage& stage) {
  const unsigned half = rank_in_cluster();
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += kTileK, stage.next()) {
    wait_for(empty + stage.index * 8, stage.parity ^ 1);  // the first round finds all empty
    const unsigned a = ring + stage.index * kStageBytes;
    const unsigned barrier = full + stage.index * 8;
    expect_bytes(barrier, kStageBytes);
    copy_box(a, A, k0, first_row, barrier);
#pragma unroll
    for (int block = 0; block < TILE_N / 64; ++block) {
      copy_box_to_both(a + kTileBytesA + block * kBlockBytesB + half * kBoxBytesB, B,
                       first_col + block * 64, k0 + half * (kTileK / kBlocks), barrier);
    }
  }
}

// A tile in shared memory: its place, the bytes to the next 64 columns, the bytes to the next
// pattern of eight rows, and a swizzle of 128 bytes. Above its 18 bits an address has the number of
// the block in its cluster, which a descriptor has no place for.
__device__ __forceinline__ Descriptor describe(unsigned address, unsigned leading) {
  return static_cast<Descriptor>((address & 0x3ffff) >> 4) |
         static_cast<Descriptor>(leading >> 4) << 16 |
         static_cast<Descriptor>(kPatternBytes >> 4) << 32 | Descriptor{1} << 62;
}

#define SUMS_8(i)                                                                               \
  "+f"(sum[i]), "+f"(sum[(i) + 1]), "+f"(sum[(i) + 2]), "+f"(sum[(i) + 3]), "+f"(sum[(i) + 4]), \
      "+f"(sum[(i) + 5]), "+f"(sum[(i) + 6]), "+f"(sum[(i) + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8((i) + 8), SUMS_8((i) + 16), SUMS_8((i) + 24)
#define TEN(t) \
  "%" t "0, %" t "1, %" t "2, %" t "3, %" t "4, %" t "5, %" t "6, %" t "7, %" t "8, %" t "9, "
#define NAMES_30 TEN("") TEN("1") TEN("2")
#define NAMES_60 NAMES_30 TEN("3") TEN("4") TEN("5")
#define NAMES_120 NAMES_60 TEN("6") TEN("7") TEN("8") TEN("9") TEN("10") TEN("11")

// sum = a * b, or sum + a * b, 64 x 16 elements of A by 16 x TILE_N of B, which lies row by row.
__device__ __forceinline__ void multiply(float (&sum)[kSums], Descriptor a, Descriptor b,
                                         bool add) {
  const int scale = add ? 1 : 0;
#define MULTIPLY(cols, names, a_name, b_name, add_name, ...)                                     \
  asm volatile("{ .reg .pred add; setp.ne.b32 add, " add_name                                    \
               ", 0;\n"                                                                          \
               "wgmma.mma_async.sync.aligned.m64n" cols "k16.f32.bf16.bf16 {" names "}, " a_name \
               ", " b_name ", add, 1, 1, 0, 1; }"                                                \
               : __VA_ARGS__                                                                     \
               : "l"(a), "l"(b), "r"(scale))
#if TILE_N == 64
  MULTIPLY("64", NAMES_30 "%30, %31", "%32", "%33", "%34", SUMS_32(0));
#elif TILE_N == 128
  MULTIPLY("128", NAMES_60 "%60, %61, %62, %63", "%64", "%65", "%66", SUMS_32(0), SUMS_32(32));
#else
  MULTIPLY("256", NAMES_120 "%120, %121, %122, %123, %124, %125, %126, %127", "%128", "%129",
           "%130", SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96));
#endif
}

// A warp has read a stage: one of its lanes says so to each block of the cluster.
__device__ __forceinline__ void release(unsigned barrier) {
  if (threadIdx.x % 32 < kBlocks) arrive_at(threadIdx.x % 32, barrier);
}

// What a warp group does with a tile of C: `sum` is its 64 rows of A * B.
__device__ __forceinline__ void multiply_bands(float (&sum)[kSums], int K, unsigned ring,
                                               unsigned full, unsigned empty, Stage& stage) {
  const unsigned rows = threadIdx.x / kGroup * 64 * kRowBytes;
  unsigned before = 0;  // `empty` of the stage before, whose products may still run
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += kTileK, stage.next()) {
    wait_for(full + stage.index * 8, stage.parity);
    const unsigned a = ring + stage.index * kStageBytes;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (unsigned k = 0; k < kTileK; k += 16) {
      multiply(sum, describe(a + rows + k * 2, 0),
               describe(a + kTileBytesA + k * kRowBytes, kBlockBytesB), k0 + k != 0);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (before != 0) release(before);
    before = empty + stage.index * 8;
  }
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  release(before);
}

// Two neighbours of a row of C, of which `left` columns are left: never just one, for N is even.
__device__ __forceinline__ void write_pair(float* c, int left, float alpha, float beta, float first,
                                           float second) {
  if (left <= 0) return;
  first *= alpha;
  second *= alpha;
  if (beta != 0.0f) {  // beta 0: C may hold anything, even NaN
    first = fmaf(beta, c[0], first);
    second = fmaf(beta, c[1], second);
  }
  *reinterpret_cast<float2*>(c) = make_float2(first, second);
}

__device__ __forceinline__ void write_tile(const float (&sum)[kSums], float* C, int first_row,
                                           int first_col, int M, int N, float alpha, float beta) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int half = 0; half < 2; ++half) {
    const int row = first_row + threadIdx.x / 32 * 16 + half * 8 + lane / 4;
    if (row >= M) continue;
#pragma unroll
    for (int j = 0; j < TILE_N / 8; ++j) {
      const int col = first_col + j * 8 + lane % 4 * 2;
      write_pair(C + size_t(row) * N + col, N - col, alpha, beta, sum[j * 4 + half * 2],
                 sum[j * 4 + half * 2 + 1]);
    }
  }
}

// Tiles of C are numbered down BAND rows of tiles before they go on to the next column, so that
// those that are computed at the same time share rows of A and columns of B in L2.
__device__ __forceinline__ int2 tile_of(int number, int tiles_m, int tiles_n) {
  const int band_tiles = BAND * tiles_n;
  const int band = number / band_tiles;
  const int rows = min(BAND, tiles_m - band * BAND);
  const int in_band = number - band * band_tiles;
  return make_int2(in_band / rows, band * BAND + in_band % rows);
}

extern "C" __global__ void __cluster_dims__(kBlocks, 1, 1) __launch_bounds__(kThreads, 1)
    gemm_multicast(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
                   float* C, int M, int N, int K, float alpha, float beta) {
  extern __shared__ __align__(1024) char shared[];  // a ring of STAGES stages
  __shared__ Barrier barriers[2][STAGES];
  const unsigned ring = address_of(shared);
  const unsigned full = address_of(barriers[0]);
  const unsigned empty = address_of(barriers[1]);
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      init_barrier(full + i * 8, 1);
      init_barrier(empty + i * 8, kBlocks * kConsumers * 4);  // one lane of each warp
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  wait_for_cluster();

  const int pairs_m = (M + kBlocks * TILE_M - 1) / (kBlocks * TILE_M);
  const int tiles_n = (N + TILE_N - 1) / TILE_N;
  const int below = rank_in_cluster() * TILE_M;  // of the pair's first row
  Stage stage;
  if (threadIdx.x >= kConsumers * kGroup) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kProducerRegisters));
    if (threadIdx.x == kConsumers * kGroup) {
#pragma unroll 1
      for (int number = blockIdx.x / kBlocks; number < pairs_m * tiles_n;
           number += gridDim.x / kBlocks) {
        const int2 pair = tile_of(number, pairs_m, tiles_n);
        TILESCOPE_PHASE(load);
        copy_bands(A, B, pair.y * kBlocks * TILE_M + below, pair.x * TILE_N, K, ring, full, empty,
                   stage);
      }
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kConsumerRegisters));
#pragma unroll 1
    for (int number = blockIdx.x / kBlocks; number < pairs_m * tiles_n;
         number += gridDim.x / kBlocks) {
      const int2 pair = tile_of(number, pairs_m, tiles_n);
      float sum[kSums];
      TILESCOPE_PHASE(compute);
      multiply_bands(sum, K, ring, full, empty, stage);
      TILESCOPE_PHASE(epilogue);
      write_tile(sum, C, pair.y * kBlocks * TILE_M + below, pair.x * TILE_N, M, N, alpha, beta);
    }
  }
  TILESCOPE_PHASE(wait);
  wait_for_cluster();  // a block's shared memory stays until the other has no more use of it
}
