// out = in transposed: `in` has rows x cols floats, `out` cols x rows, both row-major.
// New here: a thread reads a float4 of each of four rows and exchanges rows and columns of these
// 4 x 4 floats in its registers, so that shared memory, too, is written and read 16 bytes at a
// time: four stores instead of sixteen.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE
#define TILE 64
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 8
#endif

static_assert(TILE == 32 || TILE == 64, "the exclusive or goes over the pieces of a row");

constexpr int kPieces = TILE / 4;  // float4s of a row of the tile, and threads across it

// The tile is kept as `out` wants it: row c holds column c of `in`. Its float4s are moved by an
// exclusive or with c / 4, which is another number for each lane that writes at the same time.
__device__ __forceinline__ float4* place(float* tile, int row, int piece) {
  return reinterpret_cast<float4*>(tile + row * TILE + (piece ^ row / 4) * 4);
}

// Floats col ... col + 3 of a row that has cols of them; zeros past its end.
__device__ __forceinline__ float4 read4(const float* row, int col, int cols, bool wide) {
  if (wide && col + 4 <= cols) return *reinterpret_cast<const float4*>(row + col);
  float4 floats = {0.0f, 0.0f, 0.0f, 0.0f};
  if (col < cols) floats.x = row[col];
  if (col + 1 < cols) floats.y = row[col + 1];
  if (col + 2 < cols) floats.z = row[col + 2];
  if (col + 3 < cols) floats.w = row[col + 3];
  return floats;
}

__device__ __forceinline__ void write4(float* row, int col, int cols, bool wide,
                                       const float4& floats) {
  if (wide && col + 4 <= cols) {
    *reinterpret_cast<float4*>(row + col) = floats;
    return;
  }
  if (col < cols) row[col] = floats.x;
  if (col + 1 < cols) row[col + 1] = floats.y;
  if (col + 2 < cols) row[col + 2] = floats.z;
  if (col + 3 < cols) row[col + 3] = floats.w;
}

extern "C" __global__ void __launch_bounds__(kPieces* BLOCK_ROWS)
    transpose_registers(const float* in, float* out, int rows, int cols) {
  __shared__ __align__(16) float tile[TILE * TILE];
  const int first_row = blockIdx.y * TILE;  // of the tile, in `in`
  const int first_col = blockIdx.x * TILE;

  TILESCOPE_PHASE(load);
  const bool wide_in = cols % 4 == 0;
  const int across = threadIdx.x;
#pragma unroll
  for (int down = threadIdx.y; down < kPieces; down += BLOCK_ROWS) {
    float4 a[4] = {};
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const int row = first_row + down * 4 + i;
      if (row >= rows) continue;
      a[i] = read4(in + size_t(row) * cols, first_col + across * 4, cols, wide_in);
    }
    *place(tile, across * 4, down) = make_float4(a[0].x, a[1].x, a[2].x, a[3].x);
    *place(tile, across * 4 + 1, down) = make_float4(a[0].y, a[1].y, a[2].y, a[3].y);
    *place(tile, across * 4 + 2, down) = make_float4(a[0].z, a[1].z, a[2].z, a[3].z);
    *place(tile, across * 4 + 3, down) = make_float4(a[0].w, a[1].w, a[2].w, a[3].w);
  }

  TILESCOPE_PHASE(wait);
  __syncthreads();

  TILESCOPE_PHASE(store);
  const bool wide_out = rows % 4 == 0;
#pragma unroll
  for (int row = threadIdx.y; row < TILE; row += BLOCK_ROWS) {
    if (first_col + row >= cols) break;
    write4(out + size_t(first_col + row) * rows, first_row + threadIdx.x * 4, rows,
           wide_out, *place(tile, row, threadIdx.x));
  }
}
