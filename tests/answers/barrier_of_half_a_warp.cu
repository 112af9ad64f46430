// __syncthreads() in a branch that only the lower half of each quarter of the warp takes: 16 of 32
// threads come, the others leave the branch and go on. The block may hang. Outside of the branch it is
// sound.
// trace: --grid 1 --block 32 --arg f32[32]=zero
// trace 1: -D IN_THE_BRANCH
// mutant 1: barrier ... at branch (half of the threads do not come)
__global__ void mixed(float* out) {
  __shared__ float cells[32];
  const int t = threadIdx.x;
  cells[t] = t * 0.5f;
#ifdef IN_THE_BRANCH
  if (t % 8 < 4) {
    const float own = cells[t];
    __syncthreads();  //@branch
    cells[t + 4] = own;
  }
#else
  const float own = cells[t];
  __syncthreads();
  if (t % 8 < 4) cells[t + 4] = own;
  __syncthreads();
#endif
  out[t] = cells[t];
}
