// The blocks of a cluster arrive at its barrier, do something else, and wait there later.
// trace: --arch sm_90 --grid 2 --block 64 --arg f32[64]=iota --arg f32[128]=zero
// mutant 1: shared_race at take (what is written after the arrival is read behind the wait)
// mutant 2: shared_race at take (the same by the warp that comes last)
// mutant 3: shared_race at fetch (the same, read by the other block)
// says 1: reads part[
// says 2: reads part[32], which thread (32,0,0) writes
// says 3: reads sent[
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ float fetch(const float* place, unsigned rank) {
  float value;
  asm volatile(
      "{ .reg .u32 %here, %there; .reg .u64 %s; cvta.to.shared.u64 %s, %1;\n"
      "cvt.u32.u64 %here, %s; mapa.shared::cluster.u32 %there, %here, %2;\n"
      "ld.shared::cluster.f32 %0, [%there]; }"
      : "=f"(value)
      : "l"(place), "r"(rank)
      : "memory");
  return value;
}

__global__ void __cluster_dims__(2, 1, 1) turned(const float* in, float* out) {
  __shared__ float part[64];
  __shared__ float sent[64];
  const int t = threadIdx.x;
  float mine = in[t];
#if MUTANT != 1 && MUTANT != 2
  part[t] = mine;
#elif MUTANT == 2
  if (t < 32) part[t] = mine;
#endif
#if MUTANT != 3
  sent[t] = mine;
#endif
  asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
  mine *= 2.0f;
#if MUTANT == 1
  part[t] = mine;
#elif MUTANT == 2
  if (t >= 32) part[t] = mine;
#elif MUTANT == 3
  sent[t] = mine;
#endif
  asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
  out[blockIdx.x * 64 + t] = part[(t + 32) % 64] + mine;        //@take
  out[blockIdx.x * 64 + t] += fetch(&sent[t], 1 - blockIdx.x);  //@fetch
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
