// Half of a warp's lanes leave after they have stored; to leave is no synchronisation.
// trace: --grid 1 --block 64 --arg f32[64]=iota --arg f32[64]=zero
// mutant 1: shared_race at take (the lanes that stay meet after the others have left)
// says 1: put __syncwarp()
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void leaving_lanes(const float* in, float* out) {
  __shared__ float words[64];
  const int t = threadIdx.x;
  words[t] = in[t];
#if MUTANT == 0
  __syncwarp();
#endif
  if (t % 32 < 16) return;
  __syncwarp(0xffff0000u);
  out[t] = words[t - 16];  //@take
}
