// bins[b] += how many elements of `in` fall into bin b, of BINS equal parts of all 32-bit values.
// New here: COPIES sets of bins per block. Neighbouring warps count in different sets, so that fewer
// lanes need the same word at once; the sets are added up before the block adds to the total. A
// thread reads four elements with one load.
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
#define PER_THREAD 32
#endif
#ifndef COPIES
#define COPIES 4
#endif

static_assert((BINS & (BINS - 1)) == 0, "a bin is the first bits of a value: BINS must be a power of two");
static_assert(PER_THREAD % 4 == 0, "a load brings four elements: PER_THREAD must be a multiple of 4");

// The part of all 32-bit values that this one falls into.
__device__ unsigned bin_of(unsigned value) {
  return unsigned(static_cast<unsigned long long>(value) * BINS >> 32);
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    histogram_privatised(const unsigned* in, int* bins, int n) {
  __shared__ int own[COPIES * BINS];
  const int t = threadIdx.x;
  TILESCOPE_PHASE(clear);
  for (int b = t; b < COPIES * BINS; b += BLOCK) own[b] = 0;
  __syncthreads();
  TILESCOPE_PHASE(count);
  int* set = own + t / 32 % COPIES * BINS;
  const size_t first = size_t(blockIdx.x) * BLOCK * PER_THREAD + 4 * t;
  for (int k = 0; k < PER_THREAD / 4; ++k) {
    const size_t i = first + size_t(k) * 4 * BLOCK;
    if (i + 3 < n) {
      const uint4 four = *reinterpret_cast<const uint4*>(in + i);
      atomicAdd(set + bin_of(four.x), 1);
      atomicAdd(set + bin_of(four.y), 1);
      atomicAdd(set + bin_of(four.z), 1);
      atomicAdd(set + bin_of(four.w), 1);
    } else {
      for (size_t j = i; j < n; ++j) atomicAdd(set + bin_of(in[j]), 1);
    }
  }
  TILESCOPE_PHASE(wait);
  __syncthreads();
  TILESCOPE_PHASE(store);
  for (int b = t; b < BINS; b += BLOCK) {
    int sum = 0;
    for (int c = 0; c < COPIES; ++c) sum += own[c * BINS + b];
    if (sum != 0) atomicAdd(bins + b, sum);
  }
}
