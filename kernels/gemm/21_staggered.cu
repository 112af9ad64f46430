// C = alpha * A * B + beta * C, all row-major: A is M x K and B is K x N, both bf16; C is M x N,
// f32. New here: one warp group is ahead of the other at the end of a tile. The last STAGES stages
// are in shared memory then; the first group multiplies them alone, after it the second. The first
// stores its half of C while the second multiplies. Otherwise all multiprocessors store at the same
// time, and the tensor cores wait.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
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
#ifndef BLOCKS
#define BLOCKS 2
#endif

static_assert((TILE_N == 128 || TILE_N == 256) && STAGES >= 2, "written for these");

struct __align__(64) TensorMap {  // the driver's CUtensorMap
  unsigned long long words[16];
};
using Descriptor = unsigned long long;
using Barrier = unsigned long long;
constexpr int kGroup = 128;    // threads of a warp group
constexpr int kConsumers = 2;  // warp groups that multiply, 64 rows each
constexpr int kTileM = 64 * kConsumers;
constexpr int kThreads = (kConsumers + 1) * kGroup;  // the last group is the producer
constexpr int kTileK = 64;                           // 128 bytes, the swizzle's row
constexpr unsigned kRowBytes = 128;
constexpr unsigned kTileBytesA = kTileM * kRowBytes;
constexpr unsigned kBlockBytesB = kTileK * kRowBytes;  // B's tile is blocks of 64 columns
constexpr unsigned kStageBytes = kTileBytesA + TILE_N / 64 * kBlockBytesB;  // A's, then B's
constexpr int kSums = TILE_N / 2;                                           // of a thread
constexpr int kPieceCols = 32;                    // of C that are stored together: 128 bytes
constexpr unsigned kPieceBytes = 64 * kRowBytes;  // of a warp group, which has two
__device__ __forceinline__ unsigned address_of(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
__device__ __forceinline__ void init_barrier(unsigned barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(arrivals) : "memory");
}
// A warp arrives, by a lane each, at the barrier in the same place of each block of the cluster.
__device__ __forceinline__ void release(unsigned barrier) {
  if (threadIdx.x % 32 >= BLOCKS) return;
  asm volatile(
      "{ .reg .b32 there;\n mapa.shared::cluster.u32 there, %0, %1;\n"
      "mbarrier.arrive.shared::cluster.b64 _, [there]; }" ::"r"(barrier),
      "r"(threadIdx.x % 32)
      : "memory");
}
__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
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
// The same into the same place of all blocks of the cluster, whose barriers count it.
__device__ __forceinline__ void copy_box_to_all(unsigned to, const TensorMap& map, int col, int row,
                                                unsigned barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
      ".multicast::cluster [%0], [%1, {%2, %3}], [%4], %5;" ::"r"(to),
      "l"(&map), "r"(col), "r"(row), "r"(barrier),
      "h"(static_cast<unsigned short>((1 << BLOCKS) - 1))
      : "memory");
}

// The ring of stages, and a place in it with the parity of its barriers' phase.
struct Ring {
  unsigned stages, full, empty;  // `full` and `empty`: STAGES barriers each
  unsigned index = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void next() {
    if (++index < STAGES) return;
    index = 0;
    parity ^= 1;
  }
};

// What the producer's one thread does for a tile of C.
__device__ __forceinline__ void copy_bands(const TensorMap& A, const TensorMap& B, int2 at, int K,
                                           Ring& ring) {
  const unsigned part = blockIdx.x % BLOCKS;
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += kTileK, ring.next()) {
    wait_for(ring.empty + ring.index * 8, ring.parity ^ 1);  // the first round finds all empty
    const unsigned a = ring.stages + ring.index * kStageBytes;
    const unsigned barrier = ring.full + ring.index * 8;
    expect_bytes(barrier, kStageBytes);
    copy_box(a, A, k0, at.y, barrier);
#pragma unroll
    for (int block = 0; block < TILE_N / 64; ++block) {
      copy_box_to_all(a + kTileBytesA + block * kBlockBytesB + part * (kBlockBytesB / BLOCKS), B,
                      at.x + block * 64, k0 + part * (kTileK / BLOCKS), barrier);
    }
  }
}

// A tile in shared memory: its place, the bytes to the next 64 columns, the bytes to the next
// pattern of eight rows, and a swizzle of 128 bytes. Above its 18 bits an address has the number of
// the block in its cluster, which a descriptor has no place for.
__device__ __forceinline__ Descriptor describe(unsigned address, unsigned leading) {
  return static_cast<Descriptor>((address & 0x3ffff) >> 4) |
         static_cast<Descriptor>(leading >> 4) << 16 |
         static_cast<Descriptor>(8 * kRowBytes >> 4) << 32 | Descriptor{1} << 62;
}

#define SUMS_8(i)                                                                               \
  "+f"(sum[i]), "+f"(sum[(i) + 1]), "+f"(sum[(i) + 2]), "+f"(sum[(i) + 3]), "+f"(sum[(i) + 4]), \
      "+f"(sum[(i) + 5]), "+f"(sum[(i) + 6]), "+f"(sum[(i) + 7])
#define SUMS_32(i) SUMS_8(i), SUMS_8((i) + 8), SUMS_8((i) + 16), SUMS_8((i) + 24)
#define TEN(t) \
  "%" t "0, %" t "1, %" t "2, %" t "3, %" t "4, %" t "5, %" t "6, %" t "7, %" t "8, %" t "9, "
#define NAMES_60 TEN("") TEN("1") TEN("2") TEN("3") TEN("4") TEN("5")
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
#if TILE_N == 128
  MULTIPLY("128", NAMES_60 "%60, %61, %62, %63", "%64", "%65", "%66", SUMS_32(0), SUMS_32(32));
#else
  MULTIPLY("256", NAMES_120 "%120, %121, %122, %123, %124, %125, %126, %127", "%128", "%129",
           "%130", SUMS_32(0), SUMS_32(32), SUMS_32(64), SUMS_32(96));
#endif
}

// What a warp group does with a tile of C: `sum` is its 64 rows of A * B.
__device__ __forceinline__ void multiply_bands(float (&sum)[kSums], int K, Ring& ring) {
  const unsigned rows = threadIdx.x / kGroup * 64 * kRowBytes;
  const int alone = max((K - 1) / kTileK - (STAGES - 1), 0) * kTileK;
  unsigned before = 0;  // `empty` of the stage before, whose products may still run
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += kTileK, ring.next()) {
    if (k0 == alone && threadIdx.x >= kGroup) {  // the last stages: after the first group
      asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
      if (before != 0) release(before);
      before = 0;
      asm volatile("bar.sync 3, %0;" ::"n"(kConsumers * kGroup) : "memory");
    }
    wait_for(ring.full + ring.index * 8, ring.parity);
    const unsigned a = ring.stages + ring.index * kStageBytes;
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
    for (unsigned k = 0; k < kTileK; k += 16) {
      multiply(sum, describe(a + rows + k * 2, 0),
               describe(a + kTileBytesA + k * kRowBytes, kBlockBytesB), k0 + k != 0);
    }
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
    if (before != 0) release(before);
    before = ring.empty + ring.index * 8;
  }
  if (threadIdx.x < kGroup) asm volatile("bar.arrive 3, %0;" ::"n"(kConsumers * kGroup) : "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  release(before);
}

__device__ __forceinline__ void wait_for_group() {
  asm volatile("bar.sync %0, %1;" ::"r"(threadIdx.x / kGroup + 1), "n"(kGroup) : "memory");
}

// The warp group's 64 rows of C, by pieces of 32 columns: it has two in shared memory. The last
// copies may still be under way. `held`, which had so many phases, is the barrier of what C held.
__device__ __forceinline__ void store_tile(const float (&sum)[kSums], const TensorMap& C,
                                           char* pieces, unsigned held, unsigned& held_phases,
                                           int2 at, float alpha, float beta) {
  const int lane = threadIdx.x % 32;
  const int warp_row = threadIdx.x % kGroup / 32 * 16 + lane / 4;
  at.y += threadIdx.x / kGroup * 64;
#pragma unroll
  for (int col = 0; col < TILE_N; col += kPieceCols) {
    char* const piece = pieces + col / kPieceCols % 2 * kPieceBytes;
    if (threadIdx.x % kGroup == 0) {  // until the copy before the last has read this piece
      asm volatile("cp.async.bulk.wait_group.read 1;" ::: "memory");
      if (beta != 0.0f) {  // beta 0: C may hold anything, even NaN
        expect_bytes(held, kPieceBytes);
        copy_box(address_of(piece), C, at.x + col, at.y, held);
      }
    }
    if (beta == 0.0f) wait_for_group();
    if (beta != 0.0f) wait_for(held, held_phases++ % 2);
#pragma unroll
    for (int i = 0; i < kPieceCols / 4; ++i) {  // two columns of the upper eight rows or the lower
      const float* const sums = sum + col / 2 + i * 2;
      const int row = warp_row + i % 2 * 8;
      const int sixteen = (i / 2 * 2 + lane % 4 / 2) ^ row % 8;  // bytes, swizzled
      float2* const place =
          reinterpret_cast<float2*>(piece + row * kRowBytes + sixteen * 16 + lane % 2 * 8);
      float2 pair = make_float2(alpha * sums[0], alpha * sums[1]);
      if (beta != 0.0f) {
        pair.x = fmaf(beta, place->x, pair.x);
        pair.y = fmaf(beta, place->y, pair.y);
      }
      *place = pair;
    }
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // before the copy reads it
    wait_for_group();
    if (threadIdx.x % kGroup == 0) {
      asm volatile(
          "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];\n"
          "cp.async.bulk.commit_group;" ::"l"(&C),
          "r"(at.x + col), "r"(at.y), "r"(address_of(piece))
          : "memory");
    }
  }
}

// Where the block's tile begins in C. Tiles of clusters are numbered down BAND rows before the next
// column: those that are computed at a time share rows of A and columns of B in L2.
__device__ __forceinline__ int2 tile_of(int number, int clusters_m, int tiles_n) {
  const int band_tiles = BAND * tiles_n;
  const int band = number / band_tiles;
  const int rows = min(BAND, clusters_m - band * BAND);
  const int in_band = number - band * band_tiles;
  const int row = band * BAND + in_band % rows;
  return make_int2(in_band / rows * TILE_N, (row * BLOCKS + blockIdx.x % BLOCKS) * kTileM);
}

extern "C" __global__ void __cluster_dims__(BLOCKS, 1, 1) __launch_bounds__(kThreads, 1)
    gemm_staggered(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
                   const __grid_constant__ TensorMap C, int M, int N, int K, float alpha,
                   float beta) {
  extern __shared__ __align__(1024) char shared[];  // a ring of STAGES stages, pieces of C
  __shared__ Barrier full[STAGES], empty[STAGES], held[kConsumers];
  Ring ring = {address_of(shared), address_of(full), address_of(empty)};
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      init_barrier(ring.full + i * 8, 1);
      init_barrier(ring.empty + i * 8, BLOCKS * kConsumers * 4);  // one lane of each warp
    }
    for (int i = 0; i < kConsumers; ++i) init_barrier(address_of(&held[i]), 1);
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  wait_for_cluster();

  const int clusters_m = (M + BLOCKS * kTileM - 1) / (BLOCKS * kTileM);
  const int tiles_n = (N + TILE_N - 1) / TILE_N;
  const unsigned group = threadIdx.x / kGroup;
  if (group == kConsumers) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(40));
    const int last = threadIdx.x % kGroup == 0 ? clusters_m * tiles_n : 0;  // of one thread
#pragma unroll 1
    for (int number = blockIdx.x / BLOCKS; number < last; number += gridDim.x / BLOCKS) {
      TILESCOPE_PHASE(load);
      copy_bands(A, B, tile_of(number, clusters_m, tiles_n), K, ring);
    }
    __syncwarp();
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(232));
    char* const pieces = shared + STAGES * kStageBytes + group * 2 * kPieceBytes;
    unsigned held_phases = 0;  // of held[group]
#pragma unroll 1
    for (int number = blockIdx.x / BLOCKS; number < clusters_m * tiles_n;
         number += gridDim.x / BLOCKS) {
      float sum[kSums];
      TILESCOPE_PHASE(compute);
      multiply_bands(sum, K, ring);
      TILESCOPE_PHASE(epilogue);
      store_tile(sum, C, pieces, address_of(&held[group]), held_phases,
                 tile_of(number, clusters_m, tiles_n), alpha, beta);
    }
  }
  TILESCOPE_PHASE(wait);
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
  wait_for_cluster();  // a block's shared memory stays until the other has no more use of it
}
