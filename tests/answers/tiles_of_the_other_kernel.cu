// Two kernels of one file with a tile each: the picture of one counts its own tile alone.
// trace: --kernel turned --grid 4,4 --block 16,16 --arg f32[4096]=zero --arg f32[4096]=random:1 --arg i32:64
// shows: tiling: 1.00 KiB in 1 tile
__global__ void copied(float* out, const float* in, int edge) {
  __shared__ float square[16][16];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  square[threadIdx.y][threadIdx.x] = in[y * edge + x];
  __syncthreads();
  out[y * edge + x] = square[threadIdx.y][threadIdx.x];
}
__global__ void turned(float* out, const float* in, int edge) {
  __shared__ float square[16][16];
  const int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  square[threadIdx.y][threadIdx.x] = in[y * edge + x];
  __syncthreads();
  out[(blockIdx.x * 16 + threadIdx.y) * edge + blockIdx.y * 16 + threadIdx.x] =
      square[threadIdx.x][threadIdx.y];
}
