// threadIdx.x runs down the rows of a row-major table: lanes are 640 floats (2,560 B) apart, and each
// of the 32 takes a sector of its own, in loads and stores, although each thread walks along its row.
// With threadIdx.x along the rows it is 4.
// trace: --arg f32[40960]=random:1 --arg i32:64 --arg i32:640
// trace 0: --kernel by_rows --grid 2 --block 32
// counts 0: global_load at walk: requests 1280, sectors 40960, sectors_ideal 5120
// counts 0: global_store at walk: requests 1280, sectors 40960, sectors_ideal 5120
// trace 1: --kernel along_rows --grid 20,64 --block 32
// counts 1: global_load at along: requests 1280, sectors 5120, sectors_ideal 5120
__global__ void by_rows(float* table, int rows, int columns) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
#pragma unroll 1
  for (int column = 0; column < columns; ++column) table[row * columns + column] *= 3.0f;  //@walk
}

__global__ void along_rows(float* table, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
  if (column < columns && row < rows) table[row * columns + column] *= 3.0f;  //@along
}
