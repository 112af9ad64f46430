// C = alpha * A * B + beta * C, all row-major and f32: A is M x K, B is K x N, C is M x N.
// New here: tensor cores for f32. They multiply tf32, the first 11 bits of an f32's 24. So each
// element is split into its first bits and the rest, x = big + small, and three products make one:
// big * big + big * small + small * big. What is left out is smaller than the rounding of a sum,
// but it is not FP32: compare the error, not the rate alone. The tensor cores cut each sum to 24
// bits, always towards zero, which adds up along K. So they sum one stage, the small products
// first, and FP32 units add the stages.
//
// The tensor cores want both operands along k, so C is computed transposed: the rows of a product
// are columns of B, which a thread reads and splits in registers; its columns are rows of A, which
// lie along k as they came. The tensor cores leave out the last bits of A themselves; what remains
// of them is written beside by warps that do nothing else.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE_M
#define TILE_M 128
#endif
#ifndef STAGES
#define STAGES 4
#endif
#ifndef BAND
#define BAND 8
#endif

static_assert(TILE_M == 64 || TILE_M == 128, "written for these products");
static_assert(STAGES >= 2, "one stage is read while another comes in");

struct __align__(64) TensorMap {  // the driver's CUtensorMap
  unsigned long long words[16];
};
using Descriptor = unsigned long long;
using Barrier = unsigned long long;

constexpr int kGroup = 128;                          // threads of a warp group
constexpr int kConsumers = 2;                        // warp groups, each with 64 columns of C
constexpr int kThreads = (kConsumers + 1) * kGroup;  // the last group has one warp that copies
constexpr int kSplitters = kGroup - 32;              // and three that split A
constexpr int kTileN = kConsumers * 64;
constexpr int kTileK = 32;  // 128 bytes, the swizzle's row
constexpr unsigned kRowBytes = 128;
constexpr unsigned kTileBytesA = TILE_M * kRowBytes;
constexpr unsigned kBoxBytesB = kTileK * kRowBytes;  // 32 columns
constexpr unsigned kTileBytesB = kTileN / 32 * kBoxBytesB;
constexpr unsigned kCopiedBytes = kTileBytesA + kTileBytesB;
constexpr unsigned kStageBytes = kCopiedBytes + kTileBytesA;  // A, B, and what A's first bits leave
constexpr int kSums = TILE_M / 2;                             // of a thread

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
__device__ __forceinline__ void copy_box(const char* to, const TensorMap& map, int col, int row,
                                         Barrier& barrier) {
  asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
      "[%1, {%2, %3}], [%4];" ::"r"(address_of(to)),
      "l"(&map), "r"(col), "r"(row), "r"(address_of(&barrier))
      : "memory");
}

// The first 11 bits, as the tensor cores take them.
__device__ __forceinline__ float big_of(float x) {
  return __uint_as_float(__float_as_uint(x) & 0xffffe000);
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

// What a ring's stages wait for: the copies, the rest of A, and that they have been read.
struct Ring {
  char* stages;
  Barrier* full;
  Barrier* split;
  Barrier* empty;
};

// One thread: the tiles of A and B at depth k0.
__device__ __forceinline__ void copy_stage(const Ring& ring, const Stage& stage, const TensorMap& A,
                                           const TensorMap& B, int first_row, int first_col,
                                           int k0) {
  Barrier& full = ring.full[stage.index];
  const char* a = ring.stages + stage.index * kStageBytes;
  wait_for(ring.empty[stage.index], stage.parity ^ 1);  // the first round finds all empty
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(address_of(&full)),
               "r"(kCopiedBytes)
               : "memory");
  copy_box(a, A, k0, first_row, full);
#pragma unroll
  for (int box = 0; box < kTileN / 32; ++box) {
    copy_box(a + kTileBytesA + box * kBoxBytesB, B, first_col + box * 32, k0, full);
  }
}

// The rest of A beside A, at the same places: what the swizzle did to them does not matter.
__device__ __forceinline__ void split_stage(const Ring& ring, const Stage& stage) {
  wait_for(ring.full[stage.index], stage.parity);
  const float4* a = reinterpret_cast<const float4*>(ring.stages + stage.index * kStageBytes);
  float4* rest = reinterpret_cast<float4*>(ring.stages + stage.index * kStageBytes + kCopiedBytes);
#pragma unroll 8
  for (unsigned i = threadIdx.x % kGroup - 32; i < kTileBytesA / sizeof(float4); i += kSplitters) {
    const float4 x = a[i];
    rest[i] =
        make_float4(x.x - big_of(x.x), x.y - big_of(x.y), x.z - big_of(x.z), x.w - big_of(x.w));
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // before the tensor cores read it
  arrive(ring.split[stage.index]);
}

// A tile in shared memory: its place, the bytes to the next pattern of eight rows, and a swizzle of
// 128 bytes.
__device__ __forceinline__ Descriptor describe(unsigned address) {
  return static_cast<Descriptor>((address & 0x3ffff) >> 4) |
         static_cast<Descriptor>(8 * kRowBytes >> 4) << 32 | Descriptor{1} << 62;
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
// sum += b * a: 64 columns of B by 8 of k, in registers, and 8 of k by TILE_M rows of A.
__device__ __forceinline__ void multiply(float (&sum)[kSums], const float (&b)[4], Descriptor a,
                                         bool add) {
  const int scale = add ? 1 : 0;
#if TILE_M == 64
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %37, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n64k8.f32.tf32.tf32 {" NAMES_32
      "}, {%32, %33, %34, %35}, %36, add, 1, 1; }"
      : SUMS_32(0)
      : "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])), "r"(__float_as_uint(b[2])),
        "r"(__float_as_uint(b[3])), "l"(a), "r"(scale));
#else
  asm volatile(
      "{ .reg .pred add; setp.ne.b32 add, %69, 0;\n"
      "wgmma.mma_async.sync.aligned.m64n128k8.f32.tf32.tf32 {" NAMES_64
      "}, {%64, %65, %66, %67}, %68, add, 1, 1; }"
      : SUMS_32(0), SUMS_32(32)
      : "r"(__float_as_uint(b[0])), "r"(__float_as_uint(b[1])), "r"(__float_as_uint(b[2])),
        "r"(__float_as_uint(b[3])), "l"(a), "r"(scale));
#endif
}

// The thread's elements of B for a stage: of each 8 of k, k % 4 = lane % 4 and two columns.
__device__ __forceinline__ void read_columns(float (&big)[kTileK / 8][4],
                                             float (&small)[kTileK / 8][4], const char* tile) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int k8 = 0; k8 < kTileK / 8; ++k8) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int k = k8 * 8 + lane % 4 + i / 2 * 4;
      const int col = threadIdx.x / 32 * 16 + lane / 4 + i % 2 * 8;
      const int sixteen = col % 32 / 4 ^ k % 8;  // bytes, swizzled
      const float x = *reinterpret_cast<const float*>(tile + col / 32 * kBoxBytesB + k * kRowBytes +
                                                      sixteen * 16 + col % 4 * 4);
      big[k8][i] = big_of(x);
      small[k8][i] = x - big[k8][i];
    }
  }
}

// What a warp group does with a stage. The other one multiplies while it reads and splits.
__device__ __forceinline__ void multiply_stage(float (&sum)[kSums], const Ring& ring,
                                               const Stage& stage) {
  const char* const a = ring.stages + stage.index * kStageBytes;
  float big[kTileK / 8][4];
  float small[kTileK / 8][4];
  wait_for(ring.full[stage.index], stage.parity);
  read_columns(big, small, a + kTileBytesA);
  wait_for(ring.split[stage.index], stage.parity);
  float part[kSums];
  asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
#pragma unroll
  for (unsigned k8 = 0; k8 < kTileK / 8; ++k8) {
    multiply(part, small[k8], describe(address_of(a) + k8 * 32), k8 > 0);
    multiply(part, big[k8], describe(address_of(a) + kCopiedBytes + k8 * 32), true);
  }
#pragma unroll
  for (unsigned k8 = 0; k8 < kTileK / 8; ++k8) {
    multiply(part, big[k8], describe(address_of(a) + k8 * 32), true);
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#pragma unroll
  for (int i = 0; i < kSums; ++i) sum[i] += part[i];
  if (threadIdx.x % 32 == 0) arrive(ring.empty[stage.index]);
}

// The thread's sums: four columns of C apart, two rows beside each other. Eight lanes write 32
// bytes.
__device__ __forceinline__ void write_tile(float* C, const float (&sum)[kSums], int first_row,
                                           int first_col, int M, int N, float alpha, float beta) {
  const int lane = threadIdx.x % 32;
#pragma unroll
  for (int i = 0; i < kSums; ++i) {
    const int row = first_row + i / 4 * 8 + lane % 4 * 2 + i % 2;
    const int col = first_col + threadIdx.x / 32 * 16 + lane / 4 + i / 2 % 2 * 8;
    if (row >= M || col >= N) continue;
    float* const c = C + size_t(row) * N + col;
    *c = beta == 0.0f ? alpha * sum[i] : fmaf(beta, *c, alpha * sum[i]);
  }
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

extern "C" __global__ void __launch_bounds__(kThreads, 1)
    gemm_three_tf32(const __grid_constant__ TensorMap A, const __grid_constant__ TensorMap B,
                    float* C, int M, int N, int K, float alpha, float beta) {
  extern __shared__ __align__(1024) char shared[];  // a ring of STAGES stages
  __shared__ Barrier barriers[3][STAGES];
  const Ring ring = {shared, barriers[0], barriers[1], barriers[2]};
  if (threadIdx.x == 0) {
    for (int i = 0; i < STAGES; ++i) {
      init_barrier(ring.full[i], 1);
      init_barrier(ring.split[i], kSplitters);
      init_barrier(ring.empty[i], kConsumers * 4);  // one lane of each warp
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  const int2 tile = tile_of_block();
  const int first_row = tile.y * TILE_M;
  const int first_col = tile.x * kTileN;
  Stage stage;
  if (threadIdx.x >= kConsumers * kGroup) {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 56;");
    const int thread = threadIdx.x - kConsumers * kGroup;
    if (thread >= 32) {
      TILESCOPE_PHASE(split);
#pragma unroll 1
      for (int k0 = 0; k0 < K; k0 += kTileK, stage.next()) split_stage(ring, stage);
    } else if (thread == 0) {
      TILESCOPE_PHASE(load);
#pragma unroll 1
      for (int k0 = 0; k0 < K; k0 += kTileK, stage.next()) {
        copy_stage(ring, stage, A, B, first_row, first_col, k0);
      }
    }
  } else {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 224;");
    float sum[kSums] = {};
#pragma unroll 1
    for (int k0 = 0; k0 < K; k0 += kTileK, stage.next()) {
      TILESCOPE_PHASE(compute);
      multiply_stage(sum, ring, stage);
    }
    TILESCOPE_PHASE(epilogue);
    write_tile(C, sum, first_row, first_col, M, N, alpha, beta);
  }
}
