// out = in transposed: `in` has rows x cols floats, `out` cols x rows, both row-major.
// New here: no thread touches global memory. Tensor copies (TMA) bring boxes of 32 columns into
// shared memory and take the transposed ones from there, past the edges too, where nothing is
// stored. In between a thread exchanges rows and columns of 4 x 4 floats. The copies swizzle: 16
// bytes of row r, piece c, lie at piece c ^ r % 8. Eight lanes take pieces along a diagonal, so
// that neither their reads nor their writes meet in a bank.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE
#define TILE 64
#endif
#ifndef THREADS
#define THREADS 256
#endif

static_assert(TILE % 32 == 0, "a box has 32 columns");

struct __align__(64) TensorMap {  // the driver's CUtensorMap
  unsigned long long words[16];
};
using Barrier = unsigned long long;

constexpr int kBoxes = TILE / 32;  // side by side in a tile
constexpr int kBoxFloats = 32 * TILE;
constexpr unsigned kTileBytes = TILE * TILE * sizeof(float);

__device__ __forceinline__ unsigned address_of(const void* shared) {
  return static_cast<unsigned>(__cvta_generic_to_shared(shared));
}

// Starts the copies of a tile; the barrier's first phase ends when all bytes have arrived.
__device__ __forceinline__ void load_tile(const float* tile, const TensorMap& map, int col, int row,
                                          unsigned barrier) {
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(barrier) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(barrier), "r"(kTileBytes)
               : "memory");
#pragma unroll
  for (int box = 0; box < kBoxes; ++box) {
    asm volatile(
        "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], "
        "[%1, {%2, %3}], [%4];" ::"r"(address_of(tile + box * kBoxFloats)),
        "l"(&map), "r"(col + box * 32), "r"(row), "r"(barrier)
        : "memory");
  }
}

__device__ __forceinline__ void wait_for(unsigned barrier) {
  asm volatile(
      "{\n"
      "  .reg .pred done;\n"
      "again:\n"
      "  mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
      "  @!done bra again;\n"
      "}\n" ::"r"(barrier)
      : "memory");
}

// Returns when the tile has been read.
__device__ __forceinline__ void store_tile(const TensorMap& map, const float* tile, int col,
                                           int row) {
#pragma unroll
  for (int box = 0; box < kBoxes; ++box) {
    asm volatile(
        "cp.async.bulk.tensor.2d.global.shared::cta.bulk_group [%0, {%1, %2}], [%3];" ::"l"(&map),
        "r"(col + box * 32), "r"(row), "r"(address_of(tile + box * kBoxFloats))
        : "memory");
  }
  asm volatile("cp.async.bulk.commit_group;" ::: "memory");
  asm volatile("cp.async.bulk.wait_group.read 0;" ::: "memory");
}

// Four floats of a tile of boxes, swizzled.
__device__ __forceinline__ float4* place(float* tile, int row, int col) {
  return reinterpret_cast<float4*>(tile + col / 32 * kBoxFloats + row * 32 +
                                   ((col % 32 / 4) ^ row % 8) * 4);
}

extern "C" __global__ void __launch_bounds__(THREADS)
    transpose_tensor_copy(const __grid_constant__ TensorMap in,
                          const __grid_constant__ TensorMap out) {
  extern __shared__ __align__(1024) float tiles[];
  float* const taken = tiles;                 // boxes of `in`
  float* const turned = tiles + TILE * TILE;  // boxes of `out`
  __shared__ Barrier full;
  const int first_col = blockIdx.x * TILE;  // of the tile, in `in`
  const int first_row = blockIdx.y * TILE;

  TILESCOPE_PHASE(load);
  if (threadIdx.x == 0) load_tile(taken, in, first_col, first_row, address_of(&full));
  __syncthreads();
  TILESCOPE_PHASE(wait);
  wait_for(address_of(&full));

  TILESCOPE_PHASE(compute);
#pragma unroll
  for (int piece = threadIdx.x; piece < TILE * TILE / 16; piece += THREADS) {
    const int square = piece / 64;  // of 32 x 32 floats
    const int across = piece % 8;
    const int down = (across + piece % 64 / 8) % 8;
    const int col = square % kBoxes * 32 + across * 4;
    const int row = square / kBoxes * 32 + down * 4;
    const float4 a = *place(taken, row, col);
    const float4 b = *place(taken, row + 1, col);
    const float4 c = *place(taken, row + 2, col);
    const float4 d = *place(taken, row + 3, col);
    *place(turned, col, row) = make_float4(a.x, b.x, c.x, d.x);
    *place(turned, col + 1, row) = make_float4(a.y, b.y, c.y, d.y);
    *place(turned, col + 2, row) = make_float4(a.z, b.z, c.z, d.z);
    *place(turned, col + 3, row) = make_float4(a.w, b.w, c.w, d.w);
  }
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");  // before the copies read it
  __syncthreads();

  TILESCOPE_PHASE(store);
  if (threadIdx.x == 0) store_tile(out, turned, first_row, first_col);
}
