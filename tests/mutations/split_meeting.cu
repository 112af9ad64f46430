// The blocks of a cluster arrive at its barrier, do something else, and wait there later.
// trace: --arch sm_90 --grid 2 --block 64 --arg f32[64]=iota --arg f32[128]=zero
// mutant 1: shared_race at take (what is written after the arrival is read behind the wait)
// says 1: reads part[
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void __cluster_dims__(2, 1, 1) turned(const float* in, float* out) {
  __shared__ float part[64];
  const int t = threadIdx.x;
  float mine = in[t];
#if MUTANT == 0
  part[t] = mine;
#endif
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  mine *= 2.0f;
#if MUTANT == 1
  part[t] = mine;
#endif
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  out[blockIdx.x * 64 + t] = part[63 - t] + mine;  //@take
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
