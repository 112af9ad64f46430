// Inclusive prefix sum of 512 numbers by one block, Hillis and Steele, two buffers in turn.
// trace: --grid 2 --block 512 --shared 4096 --arg i32[1024]=ramp --arg i32[1024]=zero
// mutant 1: shared_race at add (one buffer instead of two)
// mutant 2: shared_race at add (no barrier between the steps)
// mutant 3: out_of_bounds ... at add (steps of lanes too far left)
// mutant 4: uninitialised at copy (the first elements are not carried over)
// mutant 5: out_of_bounds at load (dynamic shared memory is counted in floats, one too far)
// mutant 6: global_race at write (the block's offset is forgotten)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void scan(const int* in, int* out) {
  extern __shared__ int buffers[];
  const int t = threadIdx.x;
  const int n = blockDim.x;
  int from = 0;
#if MUTANT == 5
  buffers[2 * n - t] = in[blockIdx.x * n + t];  //@load
  __syncthreads();
#endif
  buffers[t] = in[blockIdx.x * n + t];
  __syncthreads();
  for (int step = 1; step < n; step *= 2) {
#if MUTANT == 1
    const int to = from;
#else
    const int to = 1 - from;
#endif
#if MUTANT == 3
    buffers[to * n + t] = buffers[from * n + t] + (t + step >= 0 ? buffers[from * n + t - step] : 0);  //@add
#elif MUTANT == 4
    if (t >= step) buffers[to * n + t] = buffers[from * n + t] + buffers[from * n + t - step];  //@copy
#else
    buffers[to * n + t] = buffers[from * n + t] + (t >= step ? buffers[from * n + t - step] : 0);  //@add
#endif
#if MUTANT != 2
    __syncthreads();
#endif
    from = to;
  }
#if MUTANT == 6
  out[t] = buffers[from * n + t] + blockIdx.x;  //@write
#else
  out[blockIdx.x * n + t] = buffers[from * n + t];  //@write
#endif
}
