// C = alpha * A * B + beta * C, all row-major and f32: A is M x K, B is K x N, C is M x N.
// New here: warps of their own that only copy, and registers that the multiply-adds find in both
// banks of the register file. The feeders turn A's tile over: shared memory has a row for each k,
// so that a thread reads four rows of A at once, as it reads four columns of B, and needs few
// registers for what it multiplies. B comes by a tensor copy (TMA). A multiply-add reads two
// registers if it keeps the third operand from the one before. They should be an even and an odd
// one: each bank gives one a clock. Four columns of B come by one load, the first of them in an
// even register, so the sum of that column should be in an odd one. It is, if the sums leave in
// pairs that are swapped: a store of 16 bytes takes its registers in order.
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

static_assert(TILE_M == 64 || TILE_M == 128, "a feeder holds one or two times 4 x 4 elements of A");
static_assert(TILE_M * TILE_N == 4 * 4096 || TILE_M * TILE_N == 8 * 4096,
              "a warp has 64 x 64 elements of C, and registers are given to groups of four warps");
static_assert(STAGES >= 2, "one stage is read while another comes in");

struct __align__(64) TensorMap {  // the driver's CUtensorMap
  unsigned long long words[16];
};
using Barrier = unsigned long long;

constexpr int kWarpsAcross = TILE_N / 64;
constexpr int kWarps = TILE_M / 64 * kWarpsAcross;  // that multiply
constexpr int kFeeders = 128;                       // threads that copy
constexpr int kThreads = kWarps * 32 + kFeeders;
constexpr int kRegisters = kWarps == 4 ? 200 : 224;  // of a thread that multiplies
constexpr int kFeederRegisters = 56;
constexpr int kTileK = 32;
constexpr int kUnrolled = 8;  // of these
constexpr int kRows = 16;     // of a thread's tile of C: four, and every sixteenth after each
constexpr int kCols = 8;      // four and four, 32 columns apart
constexpr int kFloatsB = kTileK * TILE_N;
constexpr int kStageFloats = kFloatsB + kTileK * TILE_M;  // B's tile, then A's

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

__device__ __forceinline__ float component(const float4& of, int i) {
  return i == 0 ? of.x : i == 1 ? of.y : i == 2 ? of.z : of.w;
}

// A feeder's part of a tile of A: four k of four rows, and of four 64 rows below. Eight neighbours
// have 32 rows: what they write at one k is 128 bytes together.
struct Part {
  float4 rows[TILE_M / 64][4];
  int first_row = threadIdx.x % kFeeders / 64 * 32 + threadIdx.x % 8 * 4;
  int first_k = threadIdx.x / 8 % 8 * 4;

  __device__ __forceinline__ void read(const float* A, int tile_row, int k0, int M, int K) {
#pragma unroll
    for (int i = 0; i < TILE_M / 64 * 4; ++i) {
      const int row = tile_row + first_row + i / 4 * 64 + i % 4;
      const int k = k0 + first_k;
      const bool exists = row < M && k < K;  // all four: K is a multiple of 4
      rows[i / 4][i % 4] = exists ? *reinterpret_cast<const float4*>(A + size_t(row) * K + k)
                                  : make_float4(0, 0, 0, 0);
    }
  }
  __device__ __forceinline__ void write_turned(float* tile) const {
#pragma unroll
    for (int i = 0; i < TILE_M / 64 * 4; ++i) {
      const float4(&four)[4] = rows[i / 4];
      *reinterpret_cast<float4*>(tile + (first_k + i % 4) * TILE_M + first_row + i / 4 * 64) =
          make_float4(component(four[0], i % 4), component(four[1], i % 4),
                      component(four[2], i % 4), component(four[3], i % 4));
    }
  }
};

// What a thread multiplies at one k.
struct Operands {
  float4 a[kRows / 4];
  float4 b[kCols / 4];
  __device__ __forceinline__ void read(const float* lane_a, const float* lane_b, int k) {
#pragma unroll
    for (int i = 0; i < kRows / 4; ++i) {
      a[i] = *reinterpret_cast<const float4*>(lane_a + k * TILE_M + i * 16);
    }
#pragma unroll
    for (int i = 0; i < kCols / 4; ++i) {
      b[i] = *reinterpret_cast<const float4*>(lane_b + k * TILE_N + i * 32);
    }
  }
};

// sum += a * b of one k, row by row, to and fro: an element of a serves eight times.
__device__ __forceinline__ void multiply(float (&sum)[kRows][kCols], const Operands& operands) {
#pragma unroll
  for (int i = 0; i < kRows * kCols; ++i) {
    const int row = i / kCols;
    const int col = row % 2 == 0 ? i % kCols : kCols - 1 - i % kCols;
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
      init_barrier(full[i], 1 + kFeeders / 32);  // B's tile, and each warp's part of A's
      init_barrier(empty[i], kWarps);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();

  Stage stage;
  if (threadIdx.x >= kWarps * 32) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(kFeederRegisters));
    Part part;
    part.read(A, first_row, 0, M, K);
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += kTileK, stage.next()) {
      TILESCOPE_PHASE(load);
      wait_for(empty[stage.index], stage.parity ^ 1);  // the first round finds all empty
      float* const b = shared + stage.index * kStageFloats;
      if (threadIdx.x == kWarps * 32) copy_tile_b(b, B, first_col, k0, full[stage.index]);
      part.write_turned(b + kFloatsB);
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(full[stage.index]);
      part.read(A, first_row, k0 + kTileK, M, K);  // is there when the next stage is free
    }
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
