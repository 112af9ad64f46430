// The launch has a second dimension that divides no work: all 64 threads of a row add up the same
// row. Sectors per request look perfect (1, all lanes read the same address), and the total shows
// the waste: 4 x 4 blocks x 16 rows, half a warp per row, so 4 x 4 x 8 warps x 64 steps = 8,192
// requests, where one thread per row makes 2 warps x 64 = 128. These move 32 sectors each, 4,096 in
// all, still half of what the other form moves (two rows per warp, 2 sectors).
// And all of a row's threads add to the same element: a race between the blocks of a row.
// trace: --arg f32[4096]=random:1 --arg f32[64]=zero --arg i32:64
// trace 1: --kernel by_a_grid --grid 4,4 --block 16,16
// mutant 1: global_race at add (threads of four blocks add to one element)
// counts 1: global_load at read: requests 8192, sectors 16384
// trace 0: --kernel by_a_line --grid 2 --block 32
// counts 0: global_load at walk: requests 128, sectors 4096, sectors_ideal 512
__global__ void by_a_grid(const float* weights, float* norms, int n) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (column >= n || row >= n) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += fabsf(weights[row * n + k]);  //@read
  norms[row] += sum;                                               //@add
}

__global__ void by_a_line(const float* weights, float* norms, int n) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= n) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = 0; k < n; ++k) sum += fabsf(weights[row * n + k]);  //@walk
  norms[row] += sum;
}
