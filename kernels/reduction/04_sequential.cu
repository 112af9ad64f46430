// sum += all elements of `in`.
// New here: the tree goes from far to near. In step s the first s threads each add the element s
// further on: neighbouring lanes use neighbouring words, without bank conflicts.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif

static_assert((BLOCK & (BLOCK - 1)) == 0, "the tree halves the block: BLOCK must be a power of two");

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction_sequential(const int* in, int* sum, int n) {
  __shared__ int part[BLOCK];
  const int t = threadIdx.x;
  const size_t i = size_t(blockIdx.x) * BLOCK + t;
  TILESCOPE_PHASE(load);
  part[t] = i < n ? in[i] : 0;
  TILESCOPE_PHASE(wait);
  __syncthreads();
  TILESCOPE_PHASE(add);
  for (int s = BLOCK / 2; s > 0; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  TILESCOPE_PHASE(store);
  if (t == 0) atomicAdd(sum, part[0]);
}
