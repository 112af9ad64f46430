// Sums of pairs of blocks of a cluster, each reading the other's shared memory.
// trace: --arch sm_90 --grid 4 --block 64 --arg f32[256]=iota --arg f32[4]=zero
// mutant 1: shared_race ... at put,take (the cluster does not meet before the read)
// mutant 2: barrier ... at take (a block may have left before the other has read)
// mutant 3: out_of_bounds ... at take (the rank of a block that is not there)
// mutant 4: shared_race ... at put,take (a barrier of the block where the cluster's is due)
// mutant 5: barrier at take (one block leaves before the second meeting)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2, 1, 1) sums(const float* in, float* out) {
  __shared__ float part[64];
  const int t = threadIdx.x;
  part[t] = in[blockIdx.x * 64 + t];  //@put
#if MUTANT == 4
  __syncthreads();
#elif MUTANT != 1
  meet();
#endif
  unsigned rank;
  asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
#if MUTANT == 3
  const unsigned other = rank + 1;
#else
  const unsigned other = rank ^ 1;
#endif
  float theirs;
  unsigned place = static_cast<unsigned>(__cvta_generic_to_shared(&part[63 - t]));
  unsigned there;
  asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"(place), "r"(other));  //@take
  asm volatile("ld.shared::cluster.f32 %0, [%1];" : "=f"(theirs) : "r"(there) : "memory");  //@take
#if MUTANT == 5
  if (rank == 0) return;
#endif
#if MUTANT != 2
  meet();
#endif
  atomicAdd(&out[blockIdx.x], theirs + part[t]);
}
