// Blocks work on segments of different lengths, 32 values at a time, and the whole grid meets at each
// step: block 0 with 20 values comes once, block 1 with 70 values three times. Block 1 waits for ever.
// Segments of 32 values each are sound.
// trace: --grid 2 --block 32 --arg f32[90]=random:1 --arg f32[90]=zero
// trace 0: --arg i32:45 --arg i32:45
// trace 1: --arg i32:20 --arg i32:70
// mutant 1: barrier at meet (one block comes once, the other three times)
// says 1: let every block call it equally often
#include <cooperative_groups.h>

__global__ void steps(const float* in, float* out, int first, int second) {
  const auto grid = cooperative_groups::this_grid();
  const int begin = blockIdx.x == 0 ? 0 : first;
  const int end = blockIdx.x == 0 ? first : first + second;
  for (int i = begin; i < end; i += 32) {
    if (i + threadIdx.x < end) out[i + threadIdx.x] = in[i + threadIdx.x] * 2.0f;
    grid.sync();  //@meet
  }
}
