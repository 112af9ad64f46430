// bins[b] += how many elements of `in` fall into bin b, of BINS equal parts of all 32-bit values.
// A thread counts one element with an atomic operation in global memory, where all blocks count in
// the same few words. With few BINS many lanes of a warp need the same word.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef BINS
#define BINS 256
#endif

static_assert((BINS & (BINS - 1)) == 0, "a bin is the first bits of a value: BINS must be a power of two");

// The part of all 32-bit values that this one falls into.
__device__ unsigned bin_of(unsigned value) {
  return unsigned(static_cast<unsigned long long>(value) * BINS >> 32);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    histogram_global_atomics(const unsigned* in, int* bins, int n) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (i >= n) return;
  TILESCOPE_PHASE(load);
  const unsigned value = in[i];
  TILESCOPE_PHASE(count);
  atomicAdd(bins + bin_of(value), 1);
}
