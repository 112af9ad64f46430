// Each block loads the rows above and below its tile and only then replaces what lies outside of the
// image. The loads themselves are out of bounds in the first and the last row of blocks, even though
// no wrong value is used. Clamped rows are sound.
// trace: --grid 2,3 --block 8,8 --arg f32[384]=random:1 --arg f32[384]=zero --arg i32:16 --arg i32:24
// trace 1: -D LOADS_FIRST
// mutant 1: out_of_bounds at above,below (block row 0 reads before the image, the last one after it)
// says 1: before
// says 1: past its end
__global__ void slopes(const float* image, float* out, int width, int height) {
  __shared__ float tile[10][8];
  const int x = blockIdx.x * 8 + threadIdx.x, y = threadIdx.y, first = blockIdx.y * 8;
  tile[y + 1][threadIdx.x] = image[(first + y) * width + x];
#ifdef LOADS_FIRST
  float above = image[(first - 1) * width + x];  //@above
  float below = image[(first + 8) * width + x];  //@below
  if (blockIdx.y == 0) above = 0.0f;
  if (blockIdx.y == gridDim.y - 1) below = 0.0f;
#else
  const float above = image[max(first - 1, 0) * width + x];
  const float below = image[min(first + 8, height - 1) * width + x];
#endif
  if (y == 0) tile[0][threadIdx.x] = above, tile[9][threadIdx.x] = below;
  __syncthreads();
  out[(first + y) * width + x] = tile[y + 2][threadIdx.x] - tile[y][threadIdx.x];
}
