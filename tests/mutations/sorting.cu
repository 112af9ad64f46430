// Keys sorted in shared memory by a bitonic network, then counted and placed by their lowest bits.
// trace: --grid 2 --block 64 --arg u32[256]=random:3 --arg u32[256]=zero --arg u32[4]=zero
// mutant 1: shared_race at read_low,read_high,swap_low,swap_high (no barrier in the inner loop)
// mutant 2: shared_race ... at bring,read_low,read_high (no barrier after the keys are brought)
// mutant 3: out_of_bounds ... at read_high,swap_high (partners of the last thread lie behind the array)
// mutant 4: uninitialised ... at count (the counters are never set to 0)
// mutant 5: shared_race at count (counted without an atomic)
// mutant 6: shared_race at count,read_counts (the counts are read before all have counted)
// mutant 7: out_of_bounds at count (digits of 3 bits, counters for 2)
// mutant 8: global_race at totals (blocks add without an atomic)
// mutant 9: endless at outer (the size stops growing)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void sort(const unsigned* in, unsigned* out, unsigned* total) {
  __shared__ unsigned counts[4];
  __shared__ unsigned keys[128];
  const unsigned t = threadIdx.x, first = blockIdx.x * 128;
  keys[t] = in[first + t];            //@bring
  keys[t + 64] = in[first + t + 64];  //@bring
#if MUTANT != 2
  __syncthreads();
#endif
#if MUTANT == 9
  for (unsigned size = 2; size <= 128; size = size < 128 ? 2 * size : size) {  //@outer
#else
  for (unsigned size = 2; size <= 128; size *= 2) {
#endif
    for (unsigned stride = size / 2; stride > 0; stride /= 2) {
#if MUTANT == 3
      const unsigned at = 2 * t - (t & (stride - 1)) + (t == 63);
#else
      const unsigned at = 2 * t - (t & (stride - 1));
#endif
      const unsigned low = keys[at];            //@read_low
      const unsigned high = keys[at + stride];  //@read_high
      if ((low > high) == ((at & size) == 0)) {
        keys[at] = high;          //@swap_low
        keys[at + stride] = low;  //@swap_high
      }
#if MUTANT != 1
      __syncthreads();
#endif
    }
  }
#if MUTANT == 1
  __syncthreads();
#endif
#if MUTANT != 4
  if (t < 4) counts[t] = 0;
#endif
  __syncthreads();
  for (int i = 0; i < 2; ++i) {
#if MUTANT == 7
    atomicAdd(&counts[keys[t + 64 * i] & 7], 1u);  //@count
#elif MUTANT == 5
    counts[keys[t + 64 * i] & 3] += 1u;  //@count
#else
    atomicAdd(&counts[keys[t + 64 * i] & 3], 1u);  //@count
#endif
  }
#if MUTANT != 6
  __syncthreads();
#endif
  if (t < 4) {
    const unsigned mine = counts[t];  //@read_counts
#if MUTANT == 8
    total[t] += mine;  //@totals
#else
    atomicAdd(total + t, mine);
#endif
  }
  out[first + t] = keys[t];
  out[first + t + 64] = keys[t + 64];
}
