// A grid of 65,537 rows of blocks: y and z of a grid end at 65,535, so the launch fails and the kernel
// never runs. It has to be said, with the limit.
// trace 0: --kernel shift --grid 1,65537 --block 8,2 --arg f32[1048592]=zero --arg i32:131074
// refused: 65535
// The second launch forgets to divide by the tile: 159 blocks where 5 have work. Results are right, so
// no finding; 154 blocks store nothing: 128 of the 159 * 32 sums are stored.
// The tile of 32 x 32 floats is written down a column: 32 wavefronts.
// trace 1: --kernel column_sums --grid 159 --block 32,32 --arg f32[4096]=random:1 --arg f32[128]=zero --arg i32:32 --arg i32:128
// counts 1: shared_store at put: requests 5088, wavefronts 162816, wavefronts_ideal 5088
// counts 1: global_load at read: requests 128, active_lanes 4096
// counts 1: global_store at keep: active_lanes 128
__global__ void shift(float* rows, int count) {
  const int row = blockIdx.y * 2 + threadIdx.y;
  if (row < count) rows[row * 8 + threadIdx.x] += 1.0f;
}

__global__ void column_sums(const float* in, float* sums, int rows, int columns) {
  __shared__ float tile[32][32];
  const int column = blockIdx.x * 32 + threadIdx.x;
  float sum = 0.0f;
  if (column < columns) sum = in[threadIdx.y * columns + column];  //@read
  tile[threadIdx.x][threadIdx.y] = sum;                            //@put
  __syncthreads();
  sum = tile[threadIdx.y][threadIdx.x];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(~0u, sum, d);
  const int place = blockIdx.x * 32 + threadIdx.y;
  if (threadIdx.x == 0 && place < columns) sums[place] = sum;  //@keep
}
