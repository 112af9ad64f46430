// A row reversed, brought by cp.async: it takes a wait and a barrier, and what is missing is said.
// trace: --grid 2 --block 96 --arg f32[192]=iota --arg f32[192]=zero
// mutant 1: cp_async at take (neither a wait nor a barrier)
// mutant 2: cp_async at take (a barrier, and the wait at the end)
// mutant 3: shared_race at take (a wait, and no barrier)
// mutant 4: cp_async at take (one warp brings all, and nobody waits before the end)
// mutant 5: shared_race at take,fetch (it reads first: the wait at the end is in time)
// says 1: commit the copy's group and wait for it
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ void wait_for_all() { asm volatile("cp.async.wait_all;" ::: "memory"); }

__global__ void reverse(const float* in, float* out) {
  __shared__ float row[96];
  const int t = threadIdx.x;
  const int first = blockIdx.x * 96;
#if MUTANT == 5
  row[t] = 0.0f;
  __syncthreads();
  out[first + t] = row[95 - t];  //@take
#endif
#if MUTANT == 4
  const int begin = t / 32 == 2 ? t % 32 : 96;
  const int end = 96;
#else
  const int begin = t;
  const int end = t + 1;
#endif
  for (int i = begin; i < end; i += 32) {
    const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(row + i));
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(in + first + i)  //@fetch
                 : "memory");
  }
#if MUTANT == 0 || MUTANT == 3
  wait_for_all();
#endif
#if MUTANT == 0 || MUTANT == 2
  __syncthreads();
#endif
#if MUTANT != 5
  out[first + t] = row[95 - t];  //@take
#endif
  wait_for_all();
}
