// Sum of products of two long vectors, slices of them brought in by a ring of cp.async copies.
// trace: --grid 2 --block 64 --arg f32[4608]=random:1 --arg f32[4608]=random:2 --arg f32[128]=zero --arg i32:8
// mutant 1: cp_async at use (wait_group off by one)
// mutant 2: cp_async at use (the copies are never committed)
// mutant 3: shared_race at use (no barrier after the wait)
// mutant 4: shared_race at copy (copies run one slot further ahead than there is room)
// mutant 5: cp_async at use (no wait at all)
// mutant 6: out_of_bounds ... at copy (the destination is shifted by one piece)
// mutant 7: misaligned at copy (source shifted by one float)
// mutant 8: cp_async at copy (one slice too many is fetched, and nobody waits for it)
#ifndef MUTANT
#define MUTANT 0
#endif
#define STAGES 3
#define SLICE 256
#if MUTANT == 4
#define AHEAD STAGES
#else
#define AHEAD (STAGES - 1)
#endif

__device__ __forceinline__ void copy16(void* to, const void* from) {
  const unsigned shared = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared), "l"(from) : "memory");
}
__device__ __forceinline__ void commit() {
#if MUTANT != 2
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
template <int N>
__device__ __forceinline__ void wait() {
#if MUTANT != 5
  asm volatile("cp.async.wait_group %0;" ::"n"(N) : "memory");
#endif
}

__global__ void dot(const float* x, const float* y, float* out, int slices) {
  __shared__ alignas(16) float ys[STAGES][SLICE];
  __shared__ alignas(16) float xs[STAGES][SLICE];
  const int t = threadIdx.x;
  const int base = blockIdx.x * slices * SLICE;
  auto fetch = [&](int slice) {
    const int slot = slice % STAGES;
    const int from = base + slice * SLICE + t * 4;
#if MUTANT == 7
    copy16(&xs[slot][t * 4], &x[from + 1]);  //@copy
#elif MUTANT == 6
    copy16(&xs[slot][t * 4 + 4], &x[from]);  //@copy
#else
    copy16(&xs[slot][t * 4], &x[from]);  //@copy
#endif
    copy16(&ys[slot][t * 4], &y[from]);  //@copy
  };
  for (int s = 0; s < AHEAD; ++s) {
    fetch(s);
    commit();
  }
  float sum = 0.0f;
  for (int s = 0; s < slices; ++s) {
#if MUTANT == 1
    wait<AHEAD>();
#else
    wait<AHEAD - 1>();
#endif
#if MUTANT != 3
    __syncthreads();
#endif
    const int slot = s % STAGES;
    for (int i = 0; i < SLICE; i += 64) {
      const int at = (i + t * 7) % SLICE;
      sum += xs[slot][at] * ys[slot][at];  //@use
    }
#if MUTANT == 8
    if (s + AHEAD < slices + 1) fetch(s + AHEAD);
#else
    if (s + AHEAD < slices) fetch(s + AHEAD);
#endif
    commit();
  }
  out[blockIdx.x * 64 + t] = sum;
}
