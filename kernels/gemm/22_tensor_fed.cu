// C = alpha * A * B + beta * C, all row-major and f32: A is M x K, B is K x N, C is M x N.
// New here: FP32 units, fed by tensor copies (TMA). No thread copies, none computes an address of
// global memory, and nothing is transposed: A's tile lies as it came, rows of 32 along k, swizzled,
// and a thread reads four k of a row at once. What is left to issue is almost only FFMA. They go to
// and fro over the thread's tile, so that one operand of each was an operand of the one before and
// need not be read from the register file again.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE_M
#define TILE_M 128
#endif
#ifndef TILE_N
#define TILE_N 128
#endif
#ifndef STAGES
#define STAGES 3
#endif
#ifndef BAND
#define BAND 8
#endif

static_assert(TILE_M % 64 == 0 && TILE_N % 64 == 0, "a warp has 64 x 64 elements of C");
static_assert(STAGES >= 2, "one stage is read while another comes in");

struct __align__(64) TensorMap {  // the driver's CUtensorMap
  unsigned long long words[16];
};
using Barrier = unsigned long long;

constexpr int kWarpsAcross = TILE_N / 64;
constexpr int kWarps = TILE_M / 64 * kWarpsAcross;
constexpr int kThreads = kWarps * 32;
constexpr int kTileK = 32;  // 128 bytes of a row of A
constexpr int kRows = 16;   // of a thread's tile of C, every fourth of the warp's
constexpr int kCols = 8;    // four and four, 32 columns apart
constexpr int kFloatsA = TILE_M * kTileK;
constexpr int kStageFloats = kFloatsA + kTileK * TILE_N;  // A's tile, then B's
constexpr unsigned kStageBytes = kStageFloats * sizeof(float);

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
      "{\n"
      "  .reg .pred done;\n"
      "again:\n"
      "  mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "  @!done bra again;\n"
      "}\n" ::"r"(address_of(&barrier)),
      "r"(parity)
      : "memory");
}
// Starts the copy of the box at this column and row; the barrier counts its bytes.
__device__ __forceinline__ void copy_box(float* to, const TensorMap& map, int col, int row,
                                         Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3}], [%4];" ::"r"(address_of(to)),
      "l"(&map), "r"(col), "r"(row), "r"(address_of(&barrier))
      : "memory");
}

// One thread: the tiles of A and B at depth k0.
__device__ __forceinline__ void load_stage(float* stage, const TensorMap& A, const TensorMap& B,
                                           int first_row, int first_col, int k0, Barrier& full) {
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address_of(&full)),
               "r"(kStageBytes)
               : "memory");
  copy_box(stage, A, k0, first_row, full);
  copy_box(stage + kFloatsA, B, first_col, k0, full);
}

// Four k of the thread's rows of A. Row r has its 16 bytes of k / 4 at place k / 4 ^ r % 8; the
// thread's rows are `lane_row` and every fourth after it.
__device__ __forceinline__ void read_rows(float4 (&a)[kRows], const float* warp_a, int lane_row,
                                          int four_k) {
  const float* even = warp_a + lane_row * kTileK + (four_k ^ lane_row) * 4;
  const float* odd = warp_a + lane_row * kTileK + (four_k ^ lane_row ^ 4) * 4;
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    a[i] = *reinterpret_cast<const float4*>((i % 2 == 0 ? even : odd) + i * 4 * kTileK);
  }
}

__device__ __forceinline__ float component(const float4& of, int i) {
  return i == 0 ? of.x : i == 1 ? of.y : i == 2 ? of.z : of.w;
}

// sum += a * b of one k, in strips of two rows: two multiply-adds after each other share an element
// of a or of b. Odd k go through the rows backwards. Of 87 orders few let fewer operands meet at a
// port of the register file, once ptxas has chosen the registers; of those that were timed this was
// the fastest.
__device__ __forceinline__ void multiply(float (&sum)[kRows][kCols], const float4 (&a)[kRows],
                                         const float4 (&b)[2], int k) {
#pragma unroll
  for (int i = 0; i < kRows * kCols; ++i) {
    const int strip = i / (2 * kCols);
    const int across = strip % 2 == 0 ? i / 2 % kCols : kCols - 1 - i / 2 % kCols;
    const int down = strip * 2 + (i / 2 % 2 == 0 ? i % 2 : 1 - i % 2);
    const int place = k % 2 == 0 ? down : kRows - 1 - down;
    const int row = place / 2 + place % 2 * 8;
    const int col = across % 2 + across / 2 % 2 * 4 + across / 4 * 2;
    sum[row][col] = fmaf(component(a[row], k), component(b[col / 4], col % 4), sum[row][col]);
  }
}

__device__ __forceinline__ void write4(float* c, const float* sum, float alpha, float beta) {
  float4 result = make_float4(alpha * sum[0], alpha * sum[1], alpha * sum[2], alpha * sum[3]);
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

extern "C" __global__ void __launch_bounds__(kThreads, 256 / kThreads)
    gemm_tensor_fed(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
                    float* C, int M, int N, int K, float alpha, float beta) {
  extern __shared__ __align__(1024) float shared[];  // a ring of STAGES stages
  __shared__ Barrier full[STAGES];
  __shared__ Barrier empty[STAGES];
  const int2 tile = tile_of_block();
  const int first_row = tile.y * TILE_M;
  const int first_col = tile.x * TILE_N;
  const int warp = threadIdx.x / 32;
  // Neighbouring lanes read the same 16 bytes of B, and two pairs are read at a time.
  const int lane_row = threadIdx.x % 32 / 16 * 2 + threadIdx.x % 2;
  const int lane_col = threadIdx.x / 2 % 8;
  const int warp_row = warp / kWarpsAcross * 64;
  const int warp_col = warp % kWarpsAcross * 64;
  const int steps = (K + kTileK - 1) / kTileK;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      init_barrier(full[i], 1);
      init_barrier(empty[i], kWarps);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    TILESCOPE_PHASE(load);
    for (int i = 0; i < STAGES - 1 && i < steps; ++i) {
      load_stage(shared + i * kStageFloats, A, B, first_row, first_col, i * kTileK, full[i]);
    }
  }
  __syncthreads();

  float sum[kRows][kCols] = {};
  int stage = 0;
  unsigned parity = 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    const int next = step + STAGES - 1;  // goes where the step before has been read
    if (threadIdx.x == 0 && next < steps) {
      TILESCOPE_PHASE(load);
      const int to = stage == 0 ? STAGES - 1 : stage - 1;
      if (step > 0) wait_for(empty[to], stage == 0 ? parity ^ 1 : parity);
      load_stage(shared + to * kStageFloats, A, B, first_row, first_col, next * kTileK, full[to]);
    }
    TILESCOPE_PHASE(wait);
    wait_for(full[stage], parity);
    TILESCOPE_PHASE(compute);
    const float* warp_a = shared + stage * kStageFloats + warp_row * kTileK;
    const float* lane_b = shared + stage * kStageFloats + kFloatsA + warp_col + lane_col * 4;
#pragma unroll 1
    for (int four_k = 0; four_k < kTileK / 4; ++four_k) {
      float4 a[kRows];
      read_rows(a, warp_a, lane_row, four_k);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const float* row = lane_b + (four_k * 4 + k) * TILE_N;
        const float4 b[2] = {*reinterpret_cast<const float4*>(row),
                             *reinterpret_cast<const float4*>(row + 32)};
        multiply(sum, a, b, k);
      }
    }
    __syncwarp();
    if (threadIdx.x % 32 == 0) arrive(empty[stage]);
    if (++stage == STAGES) {
      stage = 0;
      parity ^= 1;
    }
  }

  TILESCOPE_PHASE(epilogue);
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
    const int row = first_row + warp_row + lane_row + i * 4;
    if (row >= M) continue;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const int col = first_col + warp_col + half * 32 + lane_col * 4;
      if (col < N) {  // all four: N is a multiple of 4
        write4(C + size_t(row) * N + col, &sum[i][half * 4], alpha, beta);
      }
    }
  }
}
