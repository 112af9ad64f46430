// A smoothing whose blocks, four of a cluster, hand each other the values at their ends.
// trace: --arch sm_90 --grid 4 --block 64 --arg f32[256]=random:1 --arg f32[256]=zero
// mutant 1: barrier,shared_race at first,last,sum (the blocks do not meet at all)
// mutant 2: shared_race at first,last,sum (the blocks do not meet between the stores and the sums)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ unsigned in_block(const float* place, unsigned rank) {
  unsigned there;
  asm("mapa.shared::cluster.u32 %0, %1, %2;"
      : "=r"(there) : "r"((unsigned)__cvta_generic_to_shared(place)), "r"(rank));
  return there;
}

__global__ __cluster_dims__(4) void smooth(const float* in, float* out) {
  __shared__ float row[66];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  row[t + 1] = in[i];
  if (t == 0 && rank == 0) row[0] = 0.0f;
  if (t == 0 && rank == 3) row[65] = 0.0f;
  if (MUTANT != 1) meet();
  const float value = in[i];
  if (t == 0 && rank > 0)
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(in_block(&row[65], rank - 1)), "f"(value) : "memory");  //@first
  if (t == 63 && rank < 3)
    asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(in_block(&row[0], rank + 1)), "f"(value) : "memory");  //@last
  if (MUTANT == 0) meet();
  __syncthreads();
  out[i] = row[t] + row[t + 1] + row[t + 2];  //@sum
  if (MUTANT == 2) meet();
}
