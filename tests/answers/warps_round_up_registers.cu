// Registers are handed out to whole warps of one of the four parts of an SM. 40 registers per thread
// are 1,280 per warp, so a part with 16,384 of them holds 12 warps and an SM 48. Blocks of 7 warps:
// 48 / 7 = 6, although 65,536 / (40 x 224) = 7.3 suggests 7. Blocks of 6 warps: 8, and all 48 warps.
// trace: --arg f32[8192]=random:1 --arg f32[67200]=zero
// trace 0: --grid 300 --block 224
// counts 0: registers 40, blocks_per_sm 6
// trace 1: --grid 350 --block 192
// counts 1: registers 40, blocks_per_sm 8
__global__ void many_at_once(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float values[28];
#pragma unroll
  for (int k = 0; k < 28; ++k) values[k] = in[(i + k * 96) % 8192];
#pragma unroll 1
  for (int round = 0; round < 16; ++round) {
#pragma unroll
    for (int k = 0; k < 28; ++k) values[k] = values[k] * values[(k + 5) % 28] - values[(k + 2) % 28];
  }
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 28; ++k) sum += values[k];
  out[i] = sum;
}
