// Two rows come by two bulk copies that one mbarrier counts, round after round; each thread adds an
// element of the one to its mirror of the other.
// trace: --arch sm_90 --grid 2 --block 64 --arg f32[1024]=iota --arg f32[1024]=iota --arg f32[128]=zero --arg i32:4
// mutant 1: cp_async ... at take (the parity is that of the phase before: it is over at once)
// says 1: parity
// mutant 2: barrier at wait,expect (the bytes of one copy alone are expected)
// says 2: 256 bytes more
// mutant 3: barrier at wait (more bytes are expected than come)
// says 3: let expect_tx (line
// says 3: 128 bytes missing
// mutant 4: cp_async,barrier at take,fetch (no bytes are expected at all)
// says 4: expect_tx
// mutant 5: cp_async ... at take (nobody waits for the phase)
// mutant 6: shared_race ... at take,fetch (the next round is fetched before all have read)
// mutant 7: barrier at wait (each warp expects the bytes, and one alone copies)
// mutant 8: cp_async ... at take (one warp waits, and the block does not meet after that)
// mutant 9: cp_async at fetch (the block leaves without having waited for its last copies)
// says 9: wait for the phase
// mutant 10: cp_async ... at take (it waits at an mbarrier of its own, which no copy completes)
// says 10: full
// mutant 12: shared_race at clear,fetch (what threads clear is copied over with no fence in between)
// says 12: copies over
// mutant 11: cp_async at test (each thread tests the mbarrier once, and does not look at the answer)
#ifndef MUTANT
#define MUTANT 0
#endif
constexpr int kRow = 64;
constexpr unsigned kBytes = kRow * 4;

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }
__device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra AGAIN;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}
__device__ __forceinline__ void fetch(const float* to, const float* from, unsigned barrier) {
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(to)), "l"(from), "n"(kBytes), "r"(barrier) : "memory");
}

__global__ void sums(const float* a, const float* b, float* out, int rounds) {
  __shared__ alignas(128) float left[kRow];
  __shared__ alignas(128) float right[kRow];
  __shared__ unsigned long long full, other;
  const int t = threadIdx.x;
  const unsigned bar = place(&full);
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(bar), "r"(MUTANT == 7 ? 2 : 1));
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&other)));
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  float sum = 0.0f;
  for (int round = 0; round < rounds; ++round) {
    const int at = (blockIdx.x * rounds + round) * kRow;
    if (t == 0 || (MUTANT == 7 && t == 32)) {
#if MUTANT == 4
      asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(bar) : "memory");  //@announce
#else
      const unsigned expected = MUTANT == 2 ? kBytes : MUTANT == 3 ? 2 * kBytes + 128 : 2 * kBytes;
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(bar), "r"(expected) : "memory");  //@expect
#endif
    }
    if (t == 0) {
      fetch(left, a + at, bar);  //@fetch
      fetch(right, b + at, bar);  //@fetch
      if (MUTANT == 10) asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place(&other)) : "memory");
    }
#if MUTANT == 1
    wait(bar, (round + 1) % 2);  //@wait
#elif MUTANT == 8
    if (t < 32) wait(bar, round % 2);
#elif MUTANT == 10
    wait(place(&other), round % 2);
#elif MUTANT == 11
    asm volatile("{\n.reg .pred done;\nmbarrier.test_wait.parity.shared.b64 done, [%0], %1;\n}" ::"r"(bar), "r"(round % 2) : "memory");  //@test
#elif MUTANT == 9
    if (round + 1 == rounds) break;
    wait(bar, round % 2);
#elif MUTANT != 5
    wait(bar, round % 2);  //@wait
#endif
    sum += left[t] + right[kRow - 1 - t];  //@take
    left[t] = 0.0f;  //@clear
#if MUTANT != 12
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
#endif
#if MUTANT != 6
    __syncthreads();
#endif
#if MUTANT == 1 || MUTANT == 5 || MUTANT == 8 || MUTANT == 10
    wait(bar, round % 2);
#endif
  }
  out[blockIdx.x * kRow + t] = sum;
}
