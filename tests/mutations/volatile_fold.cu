// The last warp of a sum over volatile shared memory, as it was written before Volta: since then volatile
// does not keep the lanes of a warp in step, and each step wants its __syncwarp().
// trace: --grid 2 --block 64 --arg f32[128]=random:1 --arg f32[2]=zero
// mutant 1: shared_race at read (nothing between the steps)
// says 1: put __syncwarp() between
// mutant 2: shared_race at step (nothing between reading and storing)
// says 2: put __syncwarp() between
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void sums(const float* in, float* out) {
  __shared__ volatile float part[64];
  const unsigned t = threadIdx.x;
  part[t] = in[blockIdx.x * 64 + t];
  __syncthreads();
  if (t >= 32) return;
  for (unsigned half = 32; half > 0; half /= 2) {
    const float other = t + half < 64 ? part[t + half] : 0;  //@read
#if MUTANT != 2
    __syncwarp();
#endif
    part[t] = part[t] + other;  //@step
#if MUTANT != 1
    __syncwarp();
#endif
  }
  if (t == 0) out[blockIdx.x] = part[0];
}
