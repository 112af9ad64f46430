// out = in transposed: `in` has rows x cols floats, `out` cols x rows, both row-major.
// New here: float4s to and from global memory, and a tile without padding. The four floats of a
// float4 go down a column of the tile, whose place in its row is moved by an exclusive or with the
// row's number, so that neither side conflicts.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef TILE
#define TILE 32
#endif
#ifndef BLOCK_ROWS
#define BLOCK_ROWS 32
#endif
#ifndef SWIZZLE
#define SWIZZLE 1
#endif

static_assert(TILE == 32 || TILE == 64, "the exclusive or goes over the pieces of a row");

constexpr int kPieces = TILE / 4;  // float4s of a row of the tile, and threads across it

// The tile is kept as `out` wants it: row c holds column c of `in`. Rows 4 p ... 4 p + 3 are
// written by the lane with piece p, so p decides how far a row's pieces move.
__device__ __forceinline__ int place(int row, int col) {
  const int piece = SWIZZLE != 0 ? (col / 4) ^ (row / 4 % kPieces) : col / 4;
  return row * TILE + piece * 4 + col % 4;
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
    transpose_swizzled(const float* in, float* out, int rows, int cols) {
  __shared__ __align__(16) float tile[TILE * TILE];

  const int piece = threadIdx.x;
  const int first_row = blockIdx.y * TILE;  // of the tile, in `in`
  const int first_col = blockIdx.x * TILE;

  TILESCOPE_PHASE(load);
  const bool wide_in = cols % 4 == 0;
#pragma unroll
  for (int row = threadIdx.y; row < TILE; row += BLOCK_ROWS) {
    float4 floats = {0.0f, 0.0f, 0.0f, 0.0f};
    if (first_row + row < rows) {
      const float* from = in + size_t(first_row + row) * cols;
      floats = read4(from, first_col + piece * 4, cols, wide_in);
    }
    tile[place(piece * 4, row)] = floats.x;
    tile[place(piece * 4 + 1, row)] = floats.y;
    tile[place(piece * 4 + 2, row)] = floats.z;
    tile[place(piece * 4 + 3, row)] = floats.w;
  }

  TILESCOPE_PHASE(wait);
  __syncthreads();

  TILESCOPE_PHASE(store);
  const bool wide_out = rows % 4 == 0;
#pragma unroll
  for (int row = threadIdx.y; row < TILE; row += BLOCK_ROWS) {
    if (first_col + row >= cols) break;
    float* to = out + size_t(first_col + row) * rows;
    const float4 floats = *reinterpret_cast<const float4*>(&tile[place(row, piece * 4)]);
    write4(to, first_row + piece * 4, rows, wide_out, floats);
  }
}
