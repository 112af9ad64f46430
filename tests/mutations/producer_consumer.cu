// One warp fetches, one adds up; two named barriers say when a buffer is full and when it is empty.
// trace: --grid 2 --block 64 --arg f32[512]=random:4 --arg f32[64]=zero --arg i32:8
// mutant 1: shared_race ... at take (the consumer does not wait for the buffer to be full)
// mutant 2: shared_race ... at give (the producer does not wait for it to be empty)
// says 1: put a named barrier of both groups of warps
// says 2: put a named barrier of both groups of warps
// mutant 3: barrier at full (the two count differently)
// mutant 4: barrier at full_wait (they name different barriers)
// mutant 5: shared_race at take,give (arrive comes before the write)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ __forceinline__ void arrive(int id, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}
__device__ __forceinline__ void wait_for(int id, int count) {
  asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory");
}

__global__ void pipe(const float* in, float* out, int pieces) {
  __shared__ float buffer[32];
  const int lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    for (int p = 0; p < pieces; ++p) {
#if MUTANT == 2
      if (p == 0)
#endif
      wait_for(2, 64);
#if MUTANT == 5
      arrive(1, 64);
      buffer[lane] = in[(blockIdx.x * pieces + p) * 32 + lane];  //@give
#else
      buffer[lane] = in[(blockIdx.x * pieces + p) * 32 + lane];  //@give
#if MUTANT == 3
      arrive(1, 96);  //@full
#else
      arrive(1, 64);
#endif
#endif
    }
  } else {
    float sum = 0.0f;
    arrive(2, 64);
    for (int p = 0; p < pieces; ++p) {
#if MUTANT == 4
      wait_for(3, 64);  //@full_wait
#elif MUTANT != 1
      wait_for(1, 64);  //@full
#endif
      sum += buffer[31 - lane] * (p + 1);  //@take
#if MUTANT == 2
      (void)0;
#else
      if (p + 1 < pieces) arrive(2, 64);
#endif
    }
    out[blockIdx.x * 32 + lane] = sum;
  }
}
