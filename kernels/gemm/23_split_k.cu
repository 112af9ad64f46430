// C = alpha * A * B + beta * C, all row-major and f32: A is M x K, B is K x N, C is M x N.
// New here: small matrices. They have too few tiles of C for all multiprocessors, so SPLIT blocks
// share a tile: each multiplies its part of K, and they are a cluster, so that they can read one
// another's sums in shared memory. Each block adds up its part of the rows, always in the same
// order: the result is the same at every run, and C is written once. Within a block SLICES warps
// share 64 x 64 elements in the same way, so that a scheduler has a second warp while one waits.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE_M
#define TILE_M 64
#endif
#ifndef TILE_N
#define TILE_N 64
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef SPLIT
#define SPLIT 2
#endif
#ifndef SLICES
#define SLICES 4
#endif

static_assert(TILE_M % 64 == 0 && TILE_N % 64 == 0, "a warp has 64 x 64 elements of C");
static_assert(STAGES >= 3, "one is read, the one before may still be, another comes in");
static_assert(TILE_M % (SPLIT * 2) == 0 && SPLIT <= 8,
              "each block of the cluster writes rows of C");

struct __align__(64) TensorMap {  // the driver's CUtensorMap
  unsigned long long words[16];
};
using Barrier = unsigned long long;

constexpr int kWarpsAcross = TILE_N / 64;
constexpr int kTileWarps = TILE_M / 64 * kWarpsAcross;
constexpr int kWarps = kTileWarps * SLICES;
constexpr int kThreads = kWarps * 32;
constexpr int kTileK = 32;  // 128 bytes of a row of A
constexpr int kRows = 16;   // of a thread's tile of C, every fourth of the warp's
constexpr int kCols = 8;    // four and four, 32 columns apart
constexpr int kFloatsA = TILE_M * kTileK;
constexpr int kStageFloats = kFloatsA + kTileK * TILE_N;  // A's tile, then B's
constexpr int kSlack =
    2;  // steps between reading a stage and filling it: no warp waits for another
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
// of a or of b. Odd k go through the rows backwards.
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

// Until all threads of the cluster are here; what they wrote before can be read after.
__device__ __forceinline__ void wait_for_cluster() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
// Four floats from the same place of that block's shared memory.
__device__ __forceinline__ float4 read_from(unsigned block, const float* place) {
  float4 value;
  asm volatile(
      "{\n"
      "  .reg .b32 there;\n"
      "  mapa.shared::cluster.u32 there, %4, %5;\n"
      "  ld.shared::cluster.v4.f32 {%0, %1, %2, %3}, [there];\n"
      "}\n"
      : "=f"(value.x), "=f"(value.y), "=f"(value.z), "=f"(value.w)
      : "r"(address_of(place)), "r"(block)
      : "memory");
  return value;
}

// Where the four sums at this row and column lie. Odd rows have their columns swapped in pairs of
// 16: lanes that store together have two rows, in other banks each.
__device__ __forceinline__ int place_of(int row, int col) {
  return row * TILE_N + (col ^ row % 2 * 16);
}

// The block's part of the tile's rows: the sums of all blocks, and what C held.
__device__ __forceinline__ void write_rows(float* C, const float* tile, unsigned part,
                                           int first_row, int first_col, int M, int N, float alpha,
                                           float beta) {
  constexpr int kRowsOfPart = TILE_M / SPLIT;
  constexpr int kVectors = TILE_N / 4;
#pragma unroll
  for (int i = 0; i < kRowsOfPart * kVectors; i += kThreads) {
    const int vector = i + threadIdx.x;
    if (vector >= kRowsOfPart * kVectors) break;
    const int tile_row = part * kRowsOfPart + vector / kVectors;
    const int tile_col = vector % kVectors * 4;
    float4 sum = make_float4(0, 0, 0, 0);
#pragma unroll
    for (unsigned i = 0; i < SPLIT * SLICES; ++i) {
      const float4 other =
          read_from(i / SLICES, tile + place_of(i % SLICES * TILE_M + tile_row, tile_col));
      sum.x += other.x;
      sum.y += other.y;
      sum.z += other.z;
      sum.w += other.w;
    }
    const int row = first_row + tile_row;
    const int col = first_col + tile_col;
    if (row >= M || col >= N) continue;  // N is a multiple of 4
    float4* const c = reinterpret_cast<float4*>(C + size_t(row) * N + col);
    float4 result = make_float4(alpha * sum.x, alpha * sum.y, alpha * sum.z, alpha * sum.w);
    if (beta != 0.0f) {  // beta 0: C may hold anything, even NaN
      const float4 held = *c;
      result.x = fmaf(beta, held.x, result.x);
      result.y = fmaf(beta, held.y, result.y);
      result.z = fmaf(beta, held.z, result.z);
      result.w = fmaf(beta, held.w, result.w);
    }
    *c = result;
  }
}

extern "C" __global__ void __cluster_dims__(1, 1, SPLIT) __launch_bounds__(kThreads, 256 / kThreads)
    gemm_split_k(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B, float* C,
                 int M, int N, int K, float alpha, float beta) {
  extern __shared__ __align__(1024) float shared[];  // a ring of STAGES stages, then the sums
  __shared__ Barrier full[STAGES];
  __shared__ Barrier empty[STAGES];
  const int first_row = blockIdx.y * TILE_M;
  const int first_col = blockIdx.x * TILE_N;
  const int slice = threadIdx.x / 32 / kTileWarps;
  const int warp = threadIdx.x / 32 % kTileWarps;
  // Neighbouring lanes read the same 16 bytes of B, and two pairs are read at a time.
  const int lane_row = threadIdx.x % 32 / 16 * 2 + threadIdx.x % 2;
  const int lane_col = threadIdx.x / 2 % 8;
  const int warp_row = warp / kWarpsAcross * 64;
  const int warp_col = warp % kWarpsAcross * 64;
  const int all_steps = (K + kTileK - 1) / kTileK;
  const int first_step = all_steps * blockIdx.z / SPLIT;
  const int steps = all_steps * (blockIdx.z + 1) / SPLIT - first_step;
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      init_barrier(full[i], 1);
      init_barrier(empty[i], kWarps);
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    TILESCOPE_PHASE(load);
    for (int i = 0; i < STAGES - kSlack && i < steps; ++i) {
      load_stage(shared + i * kStageFloats, A, B, first_row, first_col, (first_step + i) * kTileK,
                 full[i]);
    }
  }
  __syncthreads();

  float sum[kRows][kCols] = {};
  int stage = 0;
  unsigned parity = 0;
#pragma unroll 1
  for (int step = 0; step < steps; ++step) {
    const int next = step + STAGES - kSlack;  // goes where the step before the last was read
    if (threadIdx.x == 0 && next < steps) {
      TILESCOPE_PHASE(load);
      const int to = stage < kSlack ? stage + STAGES - kSlack : stage - kSlack;
      if (step >= kSlack) wait_for(empty[to], stage < kSlack ? parity ^ 1 : parity);
      load_stage(shared + to * kStageFloats, A, B, first_row, first_col,
                 (first_step + next) * kTileK, full[to]);
    }
    TILESCOPE_PHASE(wait);
    wait_for(full[stage], parity);
    TILESCOPE_PHASE(compute);
    const float* warp_a = shared + stage * kStageFloats + warp_row * kTileK;
    const float* lane_b = shared + stage * kStageFloats + kFloatsA + warp_col + lane_col * 4;
#pragma unroll 1
    for (int i = 0; i < kTileK / 4 / SLICES; ++i) {
      const int four_k = slice * (kTileK / 4 / SLICES) + i;
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

  TILESCOPE_PHASE(exchange);
  __syncthreads();  // the ring has been read: the sums go there
  const int top = slice * TILE_M + warp_row + lane_row;
#pragma unroll
  for (int i = 0; i < kRows; ++i) {
#pragma unroll
    for (int half = 0; half < 2; ++half) {
      const float* from = &sum[i][half * 4];
      *reinterpret_cast<float4*>(shared +
                                 place_of(top + i * 4, warp_col + half * 32 + lane_col * 4)) =
          make_float4(from[0], from[1], from[2], from[3]);
    }
  }
  wait_for_cluster();
  TILESCOPE_PHASE(epilogue);
  write_rows(C, shared, blockIdx.z, first_row, first_col, M, N, alpha, beta);
  wait_for_cluster();  // a block's shared memory stays until the others have read it
}
