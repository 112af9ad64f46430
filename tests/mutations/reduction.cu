// Sum of each block's 256 numbers by a tree in shared memory, the last warp by itself.
// trace: --grid 4 --block 256 --arg f32[1000]=random:3 --arg f32[4]=zero --arg i32:1000
// mutant 1: shared_race at tree (no barrier after loading)
// mutant 2: shared_race at tree (no barrier between steps)
// mutant 3: shared_race at last (no __syncwarp between the steps of the last warp)
// mutant 4: barrier at step (the barrier stands in the branch)
// mutant 5: out_of_bounds at tree (stride begins too large)
// mutant 6: uninitialised at tree (numbers past the end are left out)
// mutant 7: out_of_bounds at load (no guard)
// mutant 8: endless at loop,tree (the stride never becomes 0)
// mutant 9: global_race at write (every block writes the first element)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void reduce(const float* in, float* out, int n) {
  __shared__ float part[256];
  const int t = threadIdx.x;
  const int i = blockIdx.x * 256 + t;
#if MUTANT == 6
  if (i < n) part[t] = in[i];
#elif MUTANT == 7
  part[t] = in[i];  //@load
#else
  part[t] = i < n ? in[i] : 0.0f;  //@load
#endif
#if MUTANT != 1
  __syncthreads();
#endif
#if MUTANT == 5
  for (int s = 256; s >= 32; s /= 2) {
#elif MUTANT == 8
  for (int s = 128; s >= 32; s = n > 0 ? s : s / 2) {  //@loop
#else
  for (int s = 128; s >= 32; s /= 2) {
#endif
#if MUTANT == 4
    if (t < s) {
      part[t] += part[t + s];
      __syncthreads();  //@step
    }
#else
    if (t < s) part[t] += part[t + s];  //@tree
#if MUTANT != 2
    __syncthreads();
#endif
#endif
  }
  if (t < 32) {
    for (int s = 16; s > 0; s /= 2) {
      if (t < s) part[t] += part[t + s];  //@last
#if MUTANT != 3
      __syncwarp();
#endif
    }
  }
#if MUTANT == 9
  if (t == 0) out[0] = part[0];  //@write
#else
  if (t == 0) out[blockIdx.x] = part[0];
#endif
}
