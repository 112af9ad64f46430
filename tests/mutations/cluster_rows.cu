// Each block of a cluster doubles a row and hands it to the other by a bulk copy into its shared
// memory, whose mbarrier there says when it has come.
// trace: --arch sm_90 --grid 4 --block 64 --arg f32[256]=iota --arg f32[256]=zero
// mutant 1: shared_race at put,hand (no fence between the stores and the copy)
// says 1: fence.proxy.async
// mutant 2: shared_race at put,hand (no barrier between them)
// mutant 3: cp_async at take (nobody waits for the row)
// mutant 4: barrier ... at hand,init (the blocks do not meet before the first copy)
// mutant 5: barrier at wait (a block expects the bytes of two rows)
// mutant 6: barrier ... at hand (the mbarrier of the sender, the row of the receiver)
// mutant 7: barrier ... at hand (a block leaves before its row has come)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }
__device__ unsigned there(const void* of, unsigned rank) {
  unsigned address;
  asm("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(address) : "r"(place(of)), "r"(rank));
  return address;
}
__device__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}

__global__ void __cluster_dims__(2, 1, 1) exchange(const float* in, float* out) {
  __shared__ alignas(128) float mine[64];
  __shared__ alignas(128) float theirs[64];
  __shared__ unsigned long long full;
  const int t = threadIdx.x;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&full)));  //@init
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(&full)), "n"(MUTANT == 5 ? 512 : 256) : "memory");
  }
#if MUTANT != 4
  meet();
#endif
#if MUTANT == 7
  if (rank == 1) return;
#endif
  mine[t] = 2 * in[blockIdx.x * 64 + t];  //@put
#if MUTANT != 1
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
#if MUTANT == 2
  __syncwarp();
#else
  __syncthreads();
#endif
  if (t == 0) {
    const unsigned other = rank ^ 1;
    asm volatile("cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(there(theirs, other)), "r"(place(mine)), "r"(MUTANT == 6 ? place(&full) : there(&full, other)) : "memory");  //@hand
  }
#if MUTANT != 3 && MUTANT != 6
  asm volatile(
      "{\n.reg .pred done;\nAGAIN: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n"
      "@!done bra AGAIN;\n}" ::"r"(place(&full)) : "memory");  //@wait
#endif
  out[blockIdx.x * 64 + t] = theirs[63 - t];  //@take
#if MUTANT == 3
  asm volatile("{\n.reg .pred done;\nAGAIN: mbarrier.try_wait.parity.shared.b64 done, [%0], 0;\n@!done bra AGAIN;\n}" ::"r"(place(&full)) : "memory");
#endif
  meet();
}
