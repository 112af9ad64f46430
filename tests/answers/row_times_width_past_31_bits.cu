// x * height + y in 32 bits: in a table of 429,500 x 5,000 elements it passes 2^31 - 1 at row 429,496,
// element 3,648, and becomes negative, 8 GB before the table. Only the table's last 10 rows are kept
// here. 64-bit indices are sound.
// trace: --grid 157,10 --block 32 --arg f32[50000]=zero
// trace 0: --arg i64:429490 --arg i64:5000 -D WIDE
// trace 1: --arg i32:429490 --arg i32:5000
// mutant 1: out_of_bounds at add (429,497 x 5,000 is past 2^31 - 1)
// says 1: before
#ifdef WIDE
using Index = long long;
#else
using Index = int;
#endif

__global__ void raised(float* last_rows, Index first_row, Index height) {
  float* table = last_rows - static_cast<long long>(first_row) * height;
  const Index x = first_row + static_cast<Index>(blockIdx.y);
  const Index y = static_cast<Index>(blockDim.x) * blockIdx.x + threadIdx.x;
  if (y < height) table[x * height + y] += 1.0f;  //@add
}
