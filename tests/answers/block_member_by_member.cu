// The block is assigned member by member: 64 x 2.
// trace: --sample
// launch: block 64x2x1
__global__ void marked(int* out, int rows, int columns) {
  const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, column = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[row * columns + column] = 7;
}
int main() {
  dim3 blocks, threads;
  threads.x = 64;
  threads.y = 2;
  blocks.x = 512;
  blocks.y = 512;
  int* out = nullptr;
  marked<<<blocks, threads>>>(out, 1024, 1024);
}
