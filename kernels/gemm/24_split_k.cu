// C = alpha * A * B + beta * C, all row-major and f32: A is M x K, B is K x N, C is M x N.
// New here: small matrices. They have too few tiles of C for all multiprocessors, so SPLIT blocks
// share a tile: each multiplies its part of K, and they are a cluster, so that they can read one
// another's sums in shared memory. Each block adds up its part of the rows, always in the same
// order: the result is the same at every run, and C is written once. Within a block SLICES warps
// share 64 x 64 elements in the same way, so that every scheduler has a warp. The feeders start the
// copies of all stages at once: of so small a product the waits are the longer part.
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
static_assert(TILE_M / 64 * (TILE_N / 64) * SLICES % 4 == 0,
              "registers go to groups of four warps");
static_assert(STAGES >= 2, "one stage is read while another comes in");
static_assert(TILE_M % (SPLIT * 2) == 0 && SPLIT <= 8,
              "each block of the cluster writes rows of C");

struct __align__(64) TensorMap {  // the driver's CUtensorMap
  unsigned long long words[16];
};
using Barrier = unsigned long long;

constexpr int kWarpsAcross = TILE_N / 64;
constexpr int kTileWarps = TILE_M / 64 * kWarpsAcross;
constexpr int kWarps = kTileWarps * SLICES;
constexpr int kFeeders = 128;  // threads that copy
constexpr int kThreads = kWarps * 32 + kFeeders;
constexpr bool kGive = kWarps == 8;  // registers of the feeders to those that multiply
constexpr int kTileK = 32;
constexpr int kSliceK = kTileK / SLICES;
constexpr int kUnrolled = 2;                 // of these
constexpr int kAhead = kWarps == 4 ? 1 : 0;  // k: a warp alone on its scheduler reads ahead
constexpr int kRows = 16;  // of a thread's tile of C: four, and every sixteenth after each
constexpr int kCols = 8;   // four and four, 32 columns apart
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

// Where the four sums at this row and column lie. Every other four rows have their columns swapped
// in pairs of 16: lanes that store together have two rows, in other banks each.
__device__ __forceinline__ int place_of(int row, int col) {
  return row * TILE_N + (col ^ row / 4 % 2 * 16);
}

// The block's part of the tile's rows: the sums of all blocks, which are swapped in pairs, and what
// C held.
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
    float4 result = make_float4(alpha * sum.y, alpha * sum.x, alpha * sum.w, alpha * sum.z);
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

extern "C" __global__ void __cluster_dims__(1, 1, SPLIT) __launch_bounds__(kThreads, 1)
    gemm_split_k(const float* A, const __grid_constant__ TensorMap B, float* C, int M, int N, int K,
                 float alpha, float beta) {
  extern __shared__ __align__(1024) float shared[];  // a ring of STAGES stages, then the sums
  __shared__ Barrier full[STAGES];
  __shared__ Barrier empty[STAGES];
  const int first_row = blockIdx.y * TILE_M;
  const int first_col = blockIdx.x * TILE_N;
  const int all_steps = (K + kTileK - 1) / kTileK;
  const int first_k = all_steps * blockIdx.z / SPLIT * kTileK;
  const int last_k = all_steps * (blockIdx.z + 1) / SPLIT * kTileK;
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
    if (kGive) asm volatile("setmaxnreg.dec.sync.aligned.u32 40;");
#pragma unroll 1
    for (int k0 = first_k; k0 < last_k; k0 += kTileK, stage.next()) {
      TILESCOPE_PHASE(load);
      wait_for(empty[stage.index], stage.parity ^ 1);  // the first round finds all empty
      float* const b = shared + stage.index * kStageFloats;
      if (threadIdx.x == kWarps * 32) copy_tile_b(b, B, first_col, k0, full[stage.index]);
      copy_tile_a(b + kFloatsB, A, first_row, k0, M, K, full[stage.index]);
    }
    asm volatile("cp.async.wait_all;" ::: "memory");
  } else {
    if (kGive) asm volatile("setmaxnreg.inc.sync.aligned.u32 232;");
    const int slice = threadIdx.x / 32 / kTileWarps;
    const int warp = threadIdx.x / 32 % kTileWarps;
    // Neighbouring lanes read the same 16 bytes of B, and two pairs are read at a time.
    const int lane_row = threadIdx.x % 32 / 16 * 2 + threadIdx.x % 2;
    const int lane_col = threadIdx.x / 2 % 8;
    const int row_in_tile = warp / kWarpsAcross * 64 + lane_row * 4;
    const int col_in_tile = warp % kWarpsAcross * 64 + lane_col * 4;
    float sum[kRows][kCols] = {};
#pragma unroll 1
    for (int k0 = first_k; k0 < last_k; k0 += kTileK, stage.next()) {
      TILESCOPE_PHASE(wait);
      wait_for(full[stage.index], stage.parity);
      TILESCOPE_PHASE(compute);
      const float* const b = shared + stage.index * kStageFloats;
      const float* const lane_b = b + slice * kSliceK * TILE_N + col_in_tile;
      const float* const lane_a = b + kFloatsB + slice * kSliceK * kPitchA + row_in_tile;
      Operands operands[2];
      if (kAhead > 0) operands[0].read(lane_a, lane_b, 0);
#pragma unroll 1
      for (int first = 0; first < kSliceK; first += kUnrolled) {
#pragma unroll
        for (int k = 0; k < kUnrolled; ++k) {
          operands[(k + kAhead) % 2].read(lane_a, lane_b, (first + k + kAhead) % kSliceK);
          multiply(sum, operands[k % 2]);
        }
      }
      __syncwarp();
      if (threadIdx.x % 32 == 0) arrive(empty[stage.index]);
    }

    TILESCOPE_PHASE(exchange);
    asm volatile("bar.sync 1, %0;" ::"n"(kWarps * 32) : "memory");  // the ring has been read
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
      const int row = slice * TILE_M + row_in_tile + i / 4 * 16 + i % 4;
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const float* from = &sum[i][half * 4];
        *reinterpret_cast<float4*>(shared + place_of(row, col_in_tile + half * 32)) =
            make_float4(from[1], from[0], from[3], from[2]);
      }
    }
  }
  wait_for_cluster();
  TILESCOPE_PHASE(epilogue);
  write_rows(C, shared, blockIdx.z, first_row, first_col, M, N, alpha, beta);
  wait_for_cluster();  // a block's shared memory stays until the others have read it
}
