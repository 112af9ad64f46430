// sum += all elements of `in`.
// New here: the block adds its elements as a tree in shared memory. In step s every thread whose
// index is a multiple of 2 s adds the element s further on. The threads that work are spread over
// all warps, so every warp diverges until the last step.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif

static_assert((BLOCK & (BLOCK - 1)) == 0, "the tree halves the block: BLOCK must be a power of two");

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction_divergent(const int* in, int* sum, int n) {
  __shared__ int part[BLOCK];
  const int t = threadIdx.x;
  const size_t i = size_t(blockIdx.x) * BLOCK + t;
  TILESCOPE_PHASE(load);
  part[t] = i < n ? in[i] : 0;
  TILESCOPE_PHASE(wait);
  __syncthreads();
  TILESCOPE_PHASE(add);
  for (int s = 1; s < BLOCK; s *= 2) {
    if (t % (2 * s) == 0) part[t] += part[t + s];
    __syncthreads();
  }
  TILESCOPE_PHASE(store);
  if (t == 0) atomicAdd(sum, part[0]);
}
