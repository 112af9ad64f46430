// One warp fetches with cp.async and announces the copies at an mbarrier, another waits there and
// reads what it never fetched itself; a second mbarrier hands the buffer back. The fetching warp
// waits for its copies at the end (TAIL 1), or leaves at once: who reads has waited for them.
// trace: --grid 2 --block 64 --arg f32[256]=random:4 --arg f32[64]=zero --arg i32:4
// mutant 1: shared_race ... at take (the reader does not wait)
// mutant 2: shared_race ... at fetch,take (the arrival comes before the copy)
// mutant 3: cp_async ... at fetch (the buffer is filled again before it is handed back)
#ifndef MUTANT
#define MUTANT 0
#endif
#ifndef TAIL
#define TAIL 0
#endif

__device__ __forceinline__ unsigned place_of(const void* p) {
  return static_cast<unsigned>(__cvta_generic_to_shared(p));
}
__device__ __forceinline__ void start(unsigned barrier, int count) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(barrier), "r"(count) : "memory");
}
__device__ __forceinline__ void wait_for(unsigned barrier, int parity) {
  unsigned over = 0;
  while (!over) {
    asm volatile(
        "{ .reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
        : "=r"(over)
        : "r"(barrier), "r"(parity)
        : "memory");
  }
}
__device__ __forceinline__ void fetch(unsigned to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(from) : "memory");
}
__device__ __forceinline__ void announce(unsigned barrier) {
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(barrier) : "memory");
}

__global__ void relay(const float* in, float* out, int pieces) {
  __shared__ float buffer[32];
  __shared__ unsigned long long full, empty;
  const int lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    start(place_of(&full), 32);
    start(place_of(&empty), 32);
  }
  __syncthreads();
  if (threadIdx.x < 32) {
    for (int p = 0; p < pieces; ++p) {
#if MUTANT != 3
      if (p > 0) wait_for(place_of(&empty), (p - 1) & 1);
#endif
#if MUTANT == 2
      announce(place_of(&full));
#endif
      const float* from = in + (blockIdx.x * pieces + p) * 32 + lane;
      fetch(place_of(buffer + lane), from);  //@fetch
#if MUTANT != 2
      announce(place_of(&full));
#endif
    }
#if TAIL || MUTANT == 2
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
  } else {
    float sum = 0.0f;
    for (int p = 0; p < pieces; ++p) {
#if MUTANT != 1
      wait_for(place_of(&full), p & 1);
#endif
      sum += buffer[31 - lane] * (p + 1);  //@take
      asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(place_of(&empty))
                   : "memory");
    }
    out[blockIdx.x * 32 + lane] = sum;
  }
}
