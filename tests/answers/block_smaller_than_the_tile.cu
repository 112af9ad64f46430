// Nobody launches the kernel, and only its comment says that a block has 32 x 32 threads: with the usual 16 x 16 three
// quarters of the tile are not written. The block grows until they are.
// trace: --sample
// launch: block 32x32x1
constexpr int kTile = 32;

// Each thread of 32 x 32 loads one element.
__global__ void turned(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int place = threadIdx.y * blockDim.x + threadIdx.x;
  const int y = place / kTile, x = place % kTile;
  tile[y][x] = in[(blockIdx.y * kTile + y) * columns + blockIdx.x * kTile + x];
  __syncthreads();
  out[(blockIdx.x * kTile + y) * rows + blockIdx.y * kTile + x] = tile[x][y];
}
