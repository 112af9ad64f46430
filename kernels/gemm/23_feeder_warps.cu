// C = alpha * A * B + beta * C, all row-major and f32: A is M x K, B is K x N, C is M x N.
// New here: warps of their own that only copy, and registers that the multiply-adds find in both
// banks of the register file. The feeders copy A element by element, so that its tile lies with a
// row for each k: a thread reads four rows of A at once, as it reads four columns of B, and needs
// few registers for what it multiplies. B comes by a tensor copy (TMA).
// A multiply-add reads two registers if it keeps the third operand from the one before. They should
// be an even and an odd one: each bank gives one a clock. Four columns of B come by one load, the
// first of them in an even register, so the sum of that column should be in an odd one. It is, if
// the sums leave in pairs that are swapped: a store of 16 bytes takes its registers in order.
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

static_assert(TILE_M % 64 == 0 && TILE_N % 64 == 0, "a warp has 64 x 64 elements of C");
static_assert(TILE_M * TILE_N == 4 * 4096 || TILE_M * TILE_N == 8 * 4096,
              "one or two warp groups multiply: registers are given to whole warp groups");
static_assert(STAGES >= 2, "one stage is read while another comes in");

struct __align__(64) TensorMap {  // the driver's CUtensorMap
  unsigned long long words[16];
};
using Barrier = unsigned long long;

constexpr int kWarpsAcross = TILE_N / 64;
constexpr int kWarps = TILE_M / 64 * kWarpsAcross;  // that multiply
constexpr int kFeeders = 128;                       // threads that copy
constexpr int kThreads = kWarps * 32 + kFeeders;
constexpr int kRegisters = kWarps == 4 ? 216 : 232;  // of a thread that multiplies
constexpr int kFeederRegisters = 40;
constexpr int kTileK = 32;
constexpr int kUnrolled = 8;  // of these
constexpr int kRows = 16;     // of a thread's tile of C: four, and every sixteenth after each
constexpr int kCols = 8;      // four and four, 32 columns apart
constexpr int kPitchA = TILE_M + 4;  // floats of a k; eight k begin in eight banks
constexpr int kFloatsB = kTileK * TILE_N;
constexpr int kStageFloats = kFloatsB + kTileK * kPitchA;  // B's tile, then A's

__device__ __forceinline__ unsigned address_of(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}
__device__ __forceinline__ void init_barrier(Barrier& barrier, unsigned arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(address_of(&barrier)), "r"(arrivals)
               : "memory");
}
__device__ __forceinline__ void arrive(Barrier& barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(address_of(&barrier)) : "memory");
}
// Until the phase of this parity is complete.
__device__ __forceinline__ void wait_for(Barrier& barrier, unsigned parity) {
  asm volatile(
      "{ .reg .pred done;\n"
      "again: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra again; }" ::"r"(address_of(&barrier)),
      "r"(parity)
      : "memory");
}

// A place in the ring, and the parity of its barriers' phase.
struct Stage {
  int index = 0;
  unsigned parity = 0;
  __device__ __forceinline__ void next() {
    if (++index < STAGES) return;
    index = 0;
    parity ^= 1;
  }
};

// One thread: the tile of B whose first row is k0. The barrier counts its bytes.
__device__ __forceinline__ void copy_tile_b(float* to, const TensorMap& B, int first_col, int k0,
                                            Barrier& full) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address_of(&full)),
               "n"(kFloatsB * sizeof(float))
               : "memory");
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3}], [%4];" ::"r"(address_of(to)),
      "l"(&B), "r"(first_col), "r"(k0), "r"(address_of(&full))
      : "memory");
}

// All feeders: the tile of A whose first column is k0, a row of shared memory for each k. A warp
// copies eight k of four rows at a time: whole sectors, and 32 banks.
__device__ __forceinline__ void copy_tile_a(float* to, const float* A, int first_row, int k0, int M,
                                            int K, Barrier& full) {
  const int feeder = threadIdx.x % kFeeders;
  const int k = feeder % 8;
  const unsigned place = address_of(to + k * kPitchA + feeder / 8);
#pragma unroll 4
  for (int down = 0; down < TILE_M; down += kFeeders / 8) {
    const int row = first_row + down + feeder / 8;
    const float* const from = A + size_t(row) * K + k0 + k;
#pragma unroll
    for (int across = 0; across < kTileK; across += 8) {
      const bool exists = row < M && k0 + across + k < K;  // else a zero is written
      asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(
                       place + (across * kPitchA + down) * 4),
                   "l"(exists ? from + across : A), "r"(exists ? 4 : 0)
                   : "memory");
    }
  }
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(address_of(&full))
               : "memory");
}

// What a thread multiplies at one k.
struct Operands {
  float4 a[kRows / 4];
  float4 b[kCols / 4];
  __device__ __forceinline__ void read(const float* lane_a, const float* lane_b, int k) {
#pragma unroll
    for (int i = 0; i < kRows / 4; ++i) {
      a[i] = *reinterpret_cast<const float4*>(lane_a + k * kPitchA + i * 16);
    }
#pragma unroll
    for (int i = 0; i < kCols / 4; ++i) {
      b[i] = *reinterpret_cast<const float4*>(lane_b + k * TILE_N + i * 32);
    }
  }
};

__device__ __forceinline__ float component(const float4& of, int i) {
  return i == 0 ? of.x : i == 1 ? of.y : i == 2 ? of.z : of.w;
}

// sum += a * b of one k, row by row, to and fro: an element of a serves eight times. With two
// columns of one half, then two of the other, ptxas chooses registers with fewer bank conflicts.
__device__ __forceinline__ void multiply(float (&sum)[kRows][kCols], const Operands& operands) {
#pragma unroll
  for (int i = 0; i < kRows * kCols; ++i) {
    const int row = i / kCols;
    const int across = row % 2 == 0 ? i % kCols : kCols - 1 - i % kCols;
    const int col = across % 2 + across / 2 % 2 * 4 + across / 4 * 2;
    sum[row][col] = fmaf(component(operands.a[row / 4], row % 4),
                         component(operands.b[col / 4], col % 4), sum[row][col]);
  }
}

// Four sums to C. They leave their registers swapped in pairs (see above), by `own` 16 bytes of
// shared memory.
__device__ __forceinline__ void write4(float* c, const float* sum, float4& own, float alpha,
                                       float beta) {
  own = make_float4(sum[1], sum[0], sum[3], sum[2]);
  __syncwarp();  // else the compiler would read the registers instead
  const float4 swapped = own;
  float4 result =
      make_float4(alpha * swapped.y, alpha * swapped.x, alpha * swapped.w, alpha * swapped.z);
  if (c == nullptr) return;
  if (beta != 0.0f) {  // beta 0: C may hold anything, even NaN
    const float4 held = *reinterpret_cast<const float4*>(c);
    result.x = fmaf(beta, held.x, result.x);
    result.y = fmaf(beta, held.y, result.y);
    result.z = fmaf(beta, held.z, result.z);
    result.w = fmaf(beta, held.w, result.w);
  }
  *reinterpret_cast<float4*>(c) = result;
}

// Tiles of C are numbered down BAND rows of tiles before they go on to the next column, so that
// those that are computed at the same time share rows of A and columns of B in L2.
__device__ __forceinline__ int2 tile_of_block() {
  const int number = blockIdx.y * gridDim.x + blockIdx.x;
  const int band_tiles = BAND * gridDim.x;
  const int band = number / band_tiles;
  const int rows = min(BAND, static_cast<int>(gridDim.y) - band * BAND);
  const int in_band = number - band * band_tiles;
  return make_int2(in_band / rows, band * BAND + in_band % rows);
}

extern "C" __global__ void __launch_bounds__(kThreads, 8 / kWarps)
    gemm_feeder_warps(const float* A, const __grid_constant__ TensorMap B, float* C, int M, int N,
                      int K, float alpha, float beta) {
  extern __shared__ __align__(1024) float shared[];  // a ring of STAGES stages
  __shared__ Barrier full[STAGES];
  __shared__ Barrier empty[STAGES];
  __shared__ float4 outlet[kWarps * 32];
  const int2 tile = tile_of_block();
  const int first_row = tile.y * TILE_M;
  const int first_col = tile.x * TILE_N;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      init_barrier(full[i], 1 + kFeeders);  // B's tile, and what each feeder copied
      init_barrier(empty[i], kWarps);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  Stage stage;
  if (threadIdx.x >= kWarps * 32) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kFeederRegisters));
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += kTileK, stage.next()) {
      TILESCOPE_PHASE(load);
      wait_for(empty[stage.index], stage.parity ^ 1);  // the first round finds all empty
      float* const b = shared + stage.index * kStageFloats;
      if (threadIdx.x == kWarps * 32) copy_tile_b(b, B, first_col, k0, full[stage.index]);
      copy_tile_a(b + kFloatsB, A, first_row, k0, M, K, full[stage.index]);
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
    return;
  }

  asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(kRegisters));
  // Neighbouring lanes read the same 16 bytes of B, and two pairs are read at a time.
  const int lane_row = threadIdx.x % 32 / 16 * 2 + threadIdx.x % 2;
  const int lane_col = threadIdx.x / 2 % 8;
  const int row_in_tile = threadIdx.x / 32 / kWarpsAcross * 64 + lane_row * 4;
  const int col_in_tile = threadIdx.x / 32 % kWarpsAcross * 64 + lane_col * 4;
  float sum[kRows][kCols] = {};
#pragma unroll 1
  for (int k0 = 0; k0 < K; k0 += kTileK, stage.next()) {
    TILESCOPE_PHASE(wait);
    wait_for(full[stage.index], stage.parity);
    TILESCOPE_PHASE(compute);
    const float* const lane_b = shared + stage.index * kStageFloats + col_in_tile;
    const float* const lane_a = shared + stage.index * kStageFloats + kFloatsB + row_in_tile;
    Operands operands[2];
    operands[0].read(lane_a, lane_b, 0);
#pragma unroll 1
    for (int first = 0; first < kTileK; first += kUnrolled) {
#pragma unroll
      for (int k = 0; k < kUnrolled; ++k) {  // the next are read while these are multiplied
        operands[(k + 1) % 2].read(lane_a, lane_b, (first + k + 1) % kTileK);
        multiply(sum, operands[k % 2]);
      }
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(empty[stage.index]);
  }

  TILESCOPE_PHASE(epilogue);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int row = first_row + row_in_tile + i / 4 * 16 + i % 4;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int col = first_col + col_in_tile + half * 32;
      const bool exists = row < M && col < N;  // all four: N is a multiple of 4
      write4(exists ? C + size_t(row) * N + col : nullptr, &sum[i][half * 4], outlet[threadIdx.x],
             alpha, beta);
    }
  }
}
