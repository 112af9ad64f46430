// Tiles come by bulk copies into a ring of two stages; one mbarrier says that a stage is full, one
// that all have read it.
// trace: --arch sm_90 --grid 2 --block 64 --arg f32[1024]=random:1 --arg f32[128]=zero --arg i32:8
// mutant 1: shared_race ... at fetch,take (nobody waits until a stage is empty)
// says 1: may still have to read it
// mutant 2: shared_race at fetch,take (the stage is given back before it is read)
// mutant 3: cp_async ... at take (nobody waits until a stage is full)
// mutant 4: shared_race at clear,fetch (thread 63 clears what the copy fills, with no barrier)
// mutant 5: barrier at full (the copy brings less than is announced)
#ifndef MUTANT
#define MUTANT 0
#endif
constexpr int kTile = 64;

__device__ unsigned place(const void* of) { return (unsigned)__cvta_generic_to_shared(of); }

__device__ __forceinline__ void wait(unsigned barrier, unsigned parity) {
  asm volatile(
      "{\n.reg .pred done;\nAGAIN: mbarrier.try_wait.parity.shared.b64 done, [%0], %1;\n"
      "@!done bra AGAIN;\n}" ::"r"(barrier),
      "r"(parity)
      : "memory");
}

__global__ void sums(const float* in, float* out, int tiles) {
  __shared__ alignas(128) float ring[2][kTile];
  __shared__ unsigned long long full[2], empty[2];
  const int t = threadIdx.x;
  if (t == 0) {
    for (int s = 0; s < 2; ++s) {
      asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(place(&full[s])));
      asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(place(&empty[s])));
    }
  }
#if MUTANT == 4
  __syncthreads();
  if (t == 63) ring[0][5] = 0.0f;  //@clear
#else
  __syncthreads();
#endif
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; ++tile) {
    const int stage = tile % 2;
    if (t == 0) {
#if MUTANT != 1
      if (tile >= 2) wait(place(&empty[stage]), (tile / 2 + 1) % 2);
#endif
      const int bytes = kTile * 4;
      asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;" ::"r"(place(&full[stage])),
                   "r"(bytes));
      asm volatile(                                                                      //@fetch
          "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes "           //@fetch
          "[%0], [%1], %2, [%3];" ::"r"(place(ring[stage])),                             //@fetch
          "l"(in + (blockIdx.x * tiles + tile) * kTile), "r"(MUTANT == 5 ? 128 : bytes),  //@fetch
          "r"(place(&full[stage]))                                                       //@fetch
          : "memory");                                                                   //@fetch
    }
#if MUTANT != 3
    wait(place(&full[stage]), tile / 2 % 2);  //@full
#endif
#if MUTANT == 2
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place(&empty[stage])) : "memory");
#endif
    sum += ring[stage][kTile - 1 - t];  //@take
#if MUTANT != 2
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" ::"r"(place(&empty[stage])) : "memory");
#endif
  }
  out[blockIdx.x * 64 + t] = sum;
}
