// One warp copies rows into a ring of two stages, two others sum them: each stage says when it is full,
// and each of the summing threads when it may be filled again.
// trace: --arch sm_90 --grid 2 --block 96 --arg f32[1024]=iota --arg f32[128]=zero --arg i32:8
// mutant 1: shared_race ... at take,fetch (a stage is handed back before it is read)
// says 1: may still have to read it
// mutant 2: shared_race ... at take,fetch (one thread hands it back, for others that may still read)
// says 2: may still have to read it
// mutant 3: barrier ... at announce (nobody waits until a stage is empty)
// says 3: until the stage is empty
// mutant 4: barrier ... at full (the producer never toggles its parity, and waits for ever)
// mutant 5: cp_async ... at take (the parity is toggled with every row)
// says 5: parity
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
__device__ __forceinline__ void arrive(unsigned barrier) {
  asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(barrier) : "memory");
}

__global__ void sums(const float* in, float* out, int rows) {
  __shared__ alignas(128) float ring[2][kRow];
  __shared__ unsigned long long full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < 2; ++s) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&full[s])));
      asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(place(&empty[s])), "r"(MUTANT == 2 ? 1 : kRow));
    }
    asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory");
  }
  __syncthreads();
  if (t >= kRow) {
    if (t > kRow) return;
    for (int row = 0; row < rows; ++row) {
      const int s = row % 2;
      if (MUTANT != 3) wait(place(&empty[s]), MUTANT == 4 ? 0 : (row / 2 + 1) % 2);  //@full
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(&full[s])), "n"(kRow * 4) : "memory");  //@announce
      asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];" ::"r"(place(ring[s])), "l"(in + (blockIdx.x * rows + row) * kRow), "n"(kRow * 4), "r"(place(&full[s])) : "memory");  //@fetch
    }
    return;
  }
  float sum = 0.0f;
  for (int row = 0; row < rows; ++row) {
    const int s = row % 2;
#if MUTANT == 5
    wait(place(&full[s]), row % 2);  //@full
#else
    wait(place(&full[s]), row / 2 % 2);  //@full
#endif
    if (MUTANT == 1) arrive(place(&empty[s]));
    sum += ring[s][kRow - 1 - t];  //@take
    if (MUTANT != 1 && (MUTANT != 2 || t == 0)) arrive(place(&empty[s]));
  }
  out[blockIdx.x * kRow + t] = sum;
}
