// One warp copies operands into a ring of two stages, a warp group multiplies them: a stage is handed
// back once its products are complete, and what threads store themselves is fenced before a product
// reads it.
// trace: --arch sm_90a --grid 1 --block 160 --arg f16[4096]=random:1 --arg f16[512]=random:2 --arg f32[512]=zero --arg i32:4
// mutant 1: shared_race at product,fetch (the stage is handed back before its products are complete)
// says 1: wgmma.wait_group
// mutant 2: shared_race at product,fetch (the newest group of products may still run)
// mutant 3: shared_race at product,clear (a thread stores over an operand that is still read)
// mutant 4: shared_race at product,clear (no fence between the store and the product)
// mutant 5: cp_async ... at product (nobody waits until a stage is full)
// mutant 6: shared_race at product,fetch (the products are never committed, so that none is waited for)
#ifndef MUTANT
#define MUTANT 0
#endif
constexpr unsigned kA = 2048, kB = 256, kStage = kA + kB;

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }
__device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra AGAIN;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}
__device__ __forceinline__ unsigned long long describe(unsigned at, unsigned next_column, unsigned next_row) {
  return (at & 0x3ffff) >> 4 | static_cast<unsigned long long>(next_column >> 4) << 16 |
         static_cast<unsigned long long>(next_row >> 4) << 32;
}
__device__ __forceinline__ void fetch(unsigned to, const char* from, unsigned bytes, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(to), "l"(from), "r"(bytes), "r"(barrier) : "memory");
}

__global__ void __launch_bounds__(160) rounds(const char* left, const char* right, float* out, int count) {
  __shared__ alignas(128) char ring[2][kStage];
  __shared__ unsigned long long full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < 2; ++s) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&full[s])));
      asm volatile("mbarrier.init.shared.b64 [%0], 4;" ::"r"(place(&empty[s])));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (t >= 128) {
    if (t > 128) return;
    for (int round = 0; round < count; ++round) {
      const int s = round % 2;
      wait(place(&empty[s]), (round / 2 + 1) % 2);
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(&full[s])), "n"(kStage) : "memory");
      fetch(place(ring[s]), left + round * kA, kA, place(&full[s]));  //@fetch
      fetch(place(ring[s] + kA), right + round * kB, kB, place(&full[s]));  //@fetch
    }
    return;
  }
  float d[4] = {};
  for (int round = 0; round < count; ++round) {
    const int s = round % 2;
#if MUTANT != 5
    wait(place(&full[s]), round / 2 % 2);
#endif
    // The first element of A, from a thread: its own value again.
    if (t == 0) *reinterpret_cast<volatile unsigned short*>(ring[s]) = 0x3c00;  //@clear
#if MUTANT != 4
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
    asm volatile("bar.sync 1, 128;" ::: "memory");
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    asm volatile("wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, 1, 1, 1, 0, 0;" : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(describe(place(ring[s]), 128, 256)), "l"(describe(place(ring[s] + kA), 128, 128)));  //@product
#if MUTANT != 6
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
#endif
#if MUTANT == 1
    if (t % 32 == 0) arrive(place(&empty[s]));
#elif MUTANT == 3
    if (t == 0) *reinterpret_cast<volatile unsigned short*>(ring[s] + 16) = 0;  //@clear
#endif
#if MUTANT == 2
    asm volatile("wgmma.wait_group.sync.aligned 1;" ::: "memory");
#else
    asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
#endif
#if MUTANT != 1
    if (t % 32 == 0) arrive(place(&empty[s]));
#endif
  }
  asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
  asm volatile("wgmma.wait_group.sync.aligned 0;" ::: "memory");
  const int row = t / 32 * 16 + t % 32 / 4;
  const int column = t % 4 * 2;
  out[row * 8 + column] = d[0];
  out[row * 8 + column + 1] = d[1];
  out[(row + 8) * 8 + column] = d[2];
  out[(row + 8) * 8 + column + 1] = d[3];
}
