// out = in transposed: `in` has rows x cols floats, `out` cols x rows, both row-major.
// New here, over the tiled transpose: on one side of the tile each thread copies RUN neighbouring
// floats of its own, as code for a CPU would. The lanes of one access are then RUN floats apart. On
// the other side neighbouring threads still copy neighbouring floats.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE
#define TILE 32
#endif
#ifndef BLOCK
#define BLOCK 128
#endif
#ifndef RUN
#define RUN 8
#endif
#ifndef RUNS_IN_LOADS
#define RUNS_IN_LOADS 0
#endif
#ifndef PAD
#define PAD 1
#endif

static_assert(TILE * TILE % (BLOCK * RUN) == 0, "each thread copies whole runs of the tile");

constexpr int kFloatsPerThread = TILE * TILE / BLOCK;
constexpr int kLoadRun = RUNS_IN_LOADS != 0 ? RUN : 1;
constexpr int kStoreRun = RUNS_IN_LOADS != 0 ? 1 : RUN;

// The place of this thread's float number i in the tile, counted along its rows, where a thread
// copies runs of Run neighbouring floats.
template <int Run>
__device__ __forceinline__ int place_of(int i) {
  return (i / Run * BLOCK + threadIdx.x) * Run + i % Run;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    transpose_one_sided(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + PAD];

  const int first_row = blockIdx.y * TILE;  // of the tile, in `in`
  const int first_col = blockIdx.x * TILE;

  TILESCOPE_PHASE(load);
#pragma unroll
  for (int i = 0; i < kFloatsPerThread; ++i) {
    const int row = place_of<kLoadRun>(i) / TILE;
    const int col = place_of<kLoadRun>(i) % TILE;
    if (first_row + row < rows && first_col + col < cols) {
      tile[row][col] = in[size_t(first_row + row) * cols + first_col + col];
    }
  }

  TILESCOPE_PHASE(wait);
  __syncthreads();

  TILESCOPE_PHASE(store);
#pragma unroll
  for (int i = 0; i < kFloatsPerThread; ++i) {
    const int row = place_of<kStoreRun>(i) / TILE;  // of the tile in `out`
    const int col = place_of<kStoreRun>(i) % TILE;
    if (first_col + row < cols && first_row + col < rows) {
      out[size_t(first_col + row) * rows + first_row + col] = tile[col][row];
    }
  }
}
