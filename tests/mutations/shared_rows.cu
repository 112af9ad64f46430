// The two blocks of a cluster each get a row by a multicast of half of it from either block, and hand
// a stage back to both once they have read it.
// trace: --arch sm_90 --grid 4 --block 64 --arg f32[1024]=iota --arg f32[256]=zero --arg i32:4
// mutant 1: barrier ... at init,fetch (the blocks do not meet after the mbarriers are set up)
// says 1: cluster.sync()
// mutant 2: barrier ... at init,fetch (a barrier of the block where the cluster's is due)
// mutant 3: shared_race ... at take,fetch (a block hands its stage back to itself alone)
// mutant 4: barrier ... at done (a block leaves while the other may still arrive at its mbarrier)
// mutant 5: cp_async ... at take (nobody waits for the row)
// mutant 6: barrier ... at expect (each block expects what it copies itself)
// says 6: bytes more
#ifndef MUTANT
#define MUTANT 0
#endif
constexpr int kRow = 64;

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }
__device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra AGAIN;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void meet() {
  asm volatile("barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;" ::: "memory");
}
__device__ __forceinline__ void arrive_at(unsigned block, unsigned barrier) {
  asm volatile("{\n.reg .b32 there;\nmapa.shared::cluster.u32 there, %0, %1;\nmbarrier.arrive.shared::cluster.b64 _, [there];\n}" ::"r"(barrier), "r"(block) : "memory");
}

__global__ void __cluster_dims__(2, 1, 1) sums(const float* in, float* out, int rounds) {
  __shared__ alignas(128) float row[kRow];
  __shared__ unsigned long long full, empty;
  const int t = threadIdx.x;
  unsigned rank;
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&full)));  //@init
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(&empty)), "r"(MUTANT == 3 ? 64 : 128));  //@init
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
#if MUTANT == 2
  __syncthreads();
#elif MUTANT == 1
  __syncwarp();
#else
  meet();
#endif
  float sum = 0.0f;
  for (int round = 0; round < rounds; ++round) {
    const float* const from = in + (blockIdx.x / 2 * rounds + round) * kRow + rank * kRow / 2;
    if (t == 0) {
      wait(place(&empty), (round + 1) % 2);
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(&full)), "r"(MUTANT == 6 ? kRow * 2 : kRow * 4) : "memory");  //@expect
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes.multicast::cluster [%0], [%1], %2, [%3], %4;" ::"r"(place(row + rank * kRow / 2)), "l"(from), "n"(kRow * 2), "r"(place(&full)), "h"(static_cast<unsigned short>(3)) : "memory");  //@fetch
    }
#if MUTANT != 5
    wait(place(&full), round % 2);  //@wait
#endif
    sum += row[kRow - 1 - t];  //@take
#if MUTANT == 5
    wait(place(&full), round % 2);
#endif
    arrive_at(rank, place(&empty));
    if (MUTANT != 3) arrive_at(rank ^ 1, place(&empty));  //@done
  }
#if MUTANT != 4
  meet();
#endif
  out[blockIdx.x * kRow + t] = sum;
}
