// A warp copies 40 words with cp.async; in the last step the lanes that have nothing left bring the
// last word once more, as the copies of cooperative groups do.
// trace: --grid 2 --block 32 --arg f32[80]=random:4 --arg f32[80]=zero
// mutant 1: shared_race at fetch (they bring other words to its place)
// mutant 2: cp_async ... at fetch,take (nobody waits)
// mutant 3: shared_race at overtake (two lanes store where another one's copy is still under way)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ __forceinline__ void fetch(float* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}

extern "C" __global__ void copied_tail(const float* in, float* out) {
  __shared__ float words[40];
  const int lane = static_cast<int>(threadIdx.x);
  const float* from = in + blockIdx.x * 40;
  fetch(words + lane, from + lane);
  const int last = min(lane, 7);
  fetch(words + 32 + last, from + (MUTANT == 1 ? lane : 32 + last));  //@fetch
  if (MUTANT == 3 && (lane == 1 || lane == 2)) words[0] = static_cast<float>(lane);  //@overtake
  if (MUTANT != 2) {
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncwarp();
  }
  out[blockIdx.x * 40 + lane] = words[39 - lane];  //@take
}
