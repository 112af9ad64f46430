// A ring of tiles, brought by bulk copies that full barriers announce and given back by empty ones.
// trace: --arch sm_90 --grid 2 --block 64 --arg f32[768]=iota --arg f32[128]=zero --arg i32:6
// mutant 1: barrier ... at wait_full,wait_empty (the phase is never toggled)
// mutant 2: barrier at wait_full (it expects more bytes than are copied)
// mutant 3: barrier at wait_empty (fewer threads hand back a slot than its barrier counts)
// mutant 4: shared_race at init,wait_full (nobody waits for the barriers to be set up)
// mutant 5: out_of_bounds ... at fetch (a ring of three in the room of two)
#ifndef MUTANT
#define MUTANT 0
#endif
#define SLOTS 2

__device__ unsigned address(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ void wait_for(unsigned long long* barrier, int parity) {
  unsigned over = 0;
  while (!over) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(address(barrier)), "r"(parity)
        : "memory");
  }
}

__global__ void sums(const float* in, float* out, int tiles) {
  __shared__ alignas(128) float ring[SLOTS][64];
  __shared__ unsigned long long full[SLOTS + 1], empty[SLOTS + 1];
  const int t = threadIdx.x;
  const float* from = in + blockIdx.x * tiles * 64;
  if (t == 0) {
    for (int s = 0; s <= SLOTS; ++s) {
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(address(&full[s])) : "memory");
      asm volatile("mbarrier.init.shared::cta.b64 [%0], 64;" ::"r"(address(&empty[s])) : "memory");  //@init
    }
  }
#if MUTANT != 4
  __syncthreads();
#endif
#if MUTANT == 5
  const int slots = SLOTS + 1;
#else
  const int slots = SLOTS;
#endif
  auto fetch = [&](int tile) {
    const int s = tile % slots;
#if MUTANT == 2
    const int expected = 512;
#else
    const int expected = 256;
#endif
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(address(&full[s])),
                 "r"(expected)
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 256, [%2];" ::"r"(address(ring[s])),
        "l"(from + tile * 64), "r"(address(&full[s]))
        : "memory");
  };
  if (t == 0) {
    for (int tile = 0; tile < slots; ++tile) fetch(tile);  //@fetch
  }
  float sum = 0.0f;
  for (int tile = 0; tile < tiles; ++tile) {
    const int s = tile % slots;
#if MUTANT == 1
    const int parity = 0;
#else
    const int parity = tile / slots & 1;
#endif
    wait_for(&full[s], parity);  //@wait_full
    sum += ring[s][63 - t];  //@take
#if MUTANT == 3
    if (t < 32)
#endif
    asm volatile("{ .reg .b64 s; mbarrier.arrive.shared::cta.b64 s, [%0]; }" ::"r"(address(&empty[s]))
                 : "memory");
    if (t == 0 && tile + slots < tiles) {
      wait_for(&empty[s], parity);  //@wait_empty
      fetch(tile + slots);  //@fetch
    }
  }
  out[blockIdx.x * 64 + t] = sum;
}
