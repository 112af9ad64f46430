// All blocks meet in the middle, then one thread reads what the others have written. The launch is a
// cooperative one; its blocks all fit on the GPU at once, so it can be emulated. No race.
// trace 0: --grid 8 --block 64 --arg f32[512]=random:1 --arg f32[1]=zero --arg i32:512
// Where the launch is guessed, its grid fits on the GPU: a block for each SM.
// trace 1: --sample
// launch 1: grid 132x1x1, block 256x1x1
#include <cooperative_groups.h>
__global__ void first_and_last(float* values, float* sum, int count) {
  const auto grid = cooperative_groups::this_grid();
  for (int i = grid.thread_rank(); i < count; i += grid.size()) values[i] = 3.0f * values[i];
  grid.sync();
  if (grid.thread_rank() == 0) *sum = values[0] + values[count - 1];
}
