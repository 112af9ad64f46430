// Each thread divides its total by its count, where it has one.
// trace: --arch sm_90 --grid 2 --block 64 --arg i32[128]=random:5 --arg i32[128]=zero --arg i32[128]=zero --arg u32:8
// mutant 1: division_by_zero at mean (a count may be zero)
// says 1: makes an integer division by zero, whose result is undefined: test the divisor before
// mutant 2: division_by_zero at slot (the number of slots is zero)
// says 2: takes the remainder (%) of an integer division by zero
// mutant 3: division_by_zero at long_mean (of 64 bits)
#ifndef MUTANT
#define MUTANT 0
#endif
__global__ void quotients(const int* totals, const int* counts, int* means, unsigned slots) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
#if MUTANT == 3
  const long long count = static_cast<long long>(counts[i]) << 33;
  means[i] = static_cast<int>(-totals[i] * 5000000000LL / count);  //@long_mean
#elif MUTANT == 1
  means[i] = totals[i] / counts[i];  //@mean
#elif MUTANT == 2
  means[i] = totals[i] + static_cast<int>(threadIdx.x % (slots - 8));  //@slot
#else
  means[i] = counts[i] != 0 ? totals[i] / counts[i] : static_cast<int>(threadIdx.x % slots);
#endif
}
