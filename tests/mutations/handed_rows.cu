// The blocks of a cluster store a row into each other's shared memory, which its owner copies out.
// trace: --arch sm_90 --grid 2 --block 64 --arg f32[128]=iota --arg f32[128]=zero
// mutant 1: shared_race at copy (no fence between the other block's stores and the bulk copy)
// mutant 2: shared_race at copy (the fence comes before the stores)
// says 1: which block (1,0,0) writes
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ unsigned in_block(const float* place, unsigned rank) {
  unsigned there;
  asm("{ .reg .u64 %s; .reg .u32 %here; cvta.to.shared.u64 %s, %1; cvt.u32.u64 %here, %s;\n"
      "mapa.shared::cluster.u32 %0, %here, %2; }"
      : "=r"(there)
      : "l"(place), "r"(rank));
  return there;
}
__device__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ void fence() { asm volatile("fence.proxy.async;" ::: "memory"); }

__global__ void __cluster_dims__(2, 1, 1) handed_rows(const float* in, float* out) {
  __shared__ alignas(16) float row[64];
  const unsigned t = threadIdx.x;
#if MUTANT == 2
  fence();
#endif
  meet();
  const unsigned there = in_block(&row[t], 1 - blockIdx.x);
  asm volatile("st.shared::cluster.f32 [%0], %1;" ::"r"(there), "f"(in[blockIdx.x * 64 + t])
               : "memory");
#if MUTANT == 0
  if (blockIdx.x == 0) fence();
#endif
  meet();
  if (t == 0) {
#if MUTANT == 0
    if (blockIdx.x == 0) fence();
#endif
    const auto from = static_cast<unsigned>(__cvta_generic_to_shared(row));
    float* const to = out + blockIdx.x * 64;
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 256;" ::"l"(to), "r"(from));  //@copy
    asm volatile("cp.async.bulk.commit_group;\ncp.async.bulk.wait_group 0;" ::: "memory");
  }
}
