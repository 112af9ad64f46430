// bins[b] += how many elements of `in` fall into bin b, of BINS equal parts of all 32-bit values.
// New here: the block counts in bins of its own in shared memory, PER_THREAD elements per thread,
// and adds each of its bins to the total once.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef BINS
#define BINS 256
#endif
#ifndef PER_THREAD
#define PER_THREAD 8
#endif

static_assert((BINS & (BINS - 1)) == 0, "a bin is the first bits of a value: BINS must be a power of two");

// The part of all 32-bit values that this one falls into.
__device__ unsigned bin_of(unsigned value) {
  return unsigned(static_cast<unsigned long long>(value) * BINS >> 32);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    histogram_shared_atomics(const unsigned* in, int* bins, int n) {
  __shared__ int own[BINS];
  TILESCOPE_PHASE(clear);
  for (int b = threadIdx.x; b < BINS; b += BLOCK) own[b] = 0;
  __syncthreads();
  TILESCOPE_PHASE(count);
  // The block's elements are neighbours, BLOCK at a time.
  const size_t first = size_t(blockIdx.x) * BLOCK * PER_THREAD + threadIdx.x;
  for (int k = 0; k < PER_THREAD; ++k) {
    const size_t i = first + size_t(k) * BLOCK;
    if (i < n) atomicAdd(own + bin_of(in[i]), 1);
  }
  TILESCOPE_PHASE(wait);
  __syncthreads();
  TILESCOPE_PHASE(store);
  for (int b = threadIdx.x; b < BINS; b += BLOCK) {
    if (own[b] != 0) atomicAdd(bins + b, own[b]);
  }
}
