// Threads past the end leave at once; the others of their warp synchronise by the default mask,
// which names those too, and pass each other values through shared memory.
// trace: --grid 2 --block 32 --arg f32[48]=random:3 --arg f32[48]=zero --arg i32:43
// mutant 1: shared_race ... at pass,take (they do not synchronise)
// mutant 2: barrier ... at take (the values are taken from the lanes, which may have left)
#ifndef MUTANT
#define MUTANT 0
#endif

extern "C" __global__ void ragged_warp(const float* in, float* out, int n) {
  __shared__ float words[32];
  const int lane = static_cast<int>(threadIdx.x);
  const int i = static_cast<int>(blockIdx.x) * 32 + lane;
  if (i >= n) return;
  words[lane] = in[i];  //@pass
  if (MUTANT != 1) __syncwarp();
  const int next = MUTANT == 2 || i + 1 < n ? (lane + 1) % 32 : 0;
  float sum = 0;
  if (MUTANT == 2) {
    sum = __shfl_sync(0xffffffffu, in[i], next);  //@take
  } else {
    sum = words[next];  //@take
  }
  out[i] = sum + words[lane];
}
