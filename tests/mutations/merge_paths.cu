// Each thread merges its part of two sorted halves. The next keys are fetched ahead, one past the
// end of a half too; that one is compared and not chosen.
// trace: --grid 1 --block 64 --arg i32[256]=iota --arg i32[256]=zero
// mutant 1: uninitialised at fetch_low,fetch_high,first_low,first_high (whether a half is over is not asked)
// mutant 2: uninitialised at first_low,first_high,fetch_low,fetch_high (the last keys are not copied in)
// mutant 3: uninitialised ... at first_low,first_high,fetch_low,fetch_high (one key too many is chosen)
#ifndef MUTANT
#define MUTANT 0
#endif
constexpr int kHalf = 128;
constexpr int kEach = 4;

__global__ void merge(const int* in, int* out) {
  __shared__ int keys[2 * kHalf + 2];
  const int t = threadIdx.x;
  // Low half: even numbers; high half: odd ones. A key of room behind each.
  for (int i = t; i < kHalf - (MUTANT == 2 ? 1 : 0); i += 64) {
    keys[i] = 2 * in[i];
    keys[kHalf + 1 + i] = 2 * in[i] + 1;
  }
  __syncthreads();
  const int from = t * kEach;
  int low = from / 2;
  int high = from / 2;
  int a = keys[low];               //@first_low
  int b = keys[kHalf + 1 + high];  //@first_high
  int merged[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
#if MUTANT == 1
    const bool take_low = a < b;
#else
    const bool take_low = low < kHalf && (high >= kHalf || a < b);
#endif
    merged[i] = take_low ? a : b;
    if (take_low) {
      a = keys[++low];  //@fetch_low
    } else {
      b = keys[kHalf + 1 + ++high];  //@fetch_high
    }
  }
#pragma unroll
  for (int i = 0; i < kEach; ++i) out[from + i] = merged[i];
#if MUTANT == 3
  out[from] = a + b;
#endif
}
