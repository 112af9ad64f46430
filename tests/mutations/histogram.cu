// 64 bins of bytes: each block counts in shared memory, then adds to the result.
// trace: --grid 4 --block 128 --arg u8[4096]=random:5 --arg u32[64]=zero --arg i32:4096
// mutant 1: uninitialised at count (bins are not set to zero)
// mutant 2: shared_race at clear,count (no barrier after that)
// mutant 3: shared_race at count (the count is not atomic)
// mutant 4: shared_race at add (no barrier before adding up)
// mutant 5: global_race at add (the result is not added to atomically)
// mutant 6: out_of_bounds at count (256 values into 64 bins)
// mutant 7: out_of_bounds at add (all threads add up)
#ifndef MUTANT
#define MUTANT 0
#endif
#define BINS 64

__global__ void histogram(const unsigned char* data, unsigned* result, int n) {
  __shared__ unsigned bins[BINS];
  const int t = threadIdx.x;
#if MUTANT != 1
  for (int b = t; b < BINS; b += blockDim.x) bins[b] = 0;  //@clear
#endif
#if MUTANT != 2
  __syncthreads();
#endif
  for (int i = blockIdx.x * blockDim.x + t; i < n; i += gridDim.x * blockDim.x) {
#if MUTANT == 3
    bins[data[i] / 4] += 1;  //@count
#elif MUTANT == 6
    atomicAdd(&bins[data[i]], 1u);  //@count
#else
    atomicAdd(&bins[data[i] / 4], 1u);  //@count
#endif
  }
#if MUTANT != 4
  __syncthreads();
#endif
#if MUTANT == 7
  atomicAdd(&result[t], bins[t % BINS]);  //@add
#elif MUTANT == 5
  if (t < BINS) result[t] += bins[t];  //@add
#else
  if (t < BINS) atomicAdd(&result[t], bins[t]);  //@add
#endif
}
