// sum += all elements of `in`.
// New here: each thread reads two elements and adds them before the tree begins: half as many
// blocks, and no thread that only loads.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif

static_assert((BLOCK & (BLOCK - 1)) == 0, "the tree halves the block: BLOCK must be a power of two");

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction_add_on_load(const int* in, int* sum, int n) {
  __shared__ int part[BLOCK];
  const int t = threadIdx.x;
  // Of the 2 BLOCK elements of the block, thread t reads t and BLOCK + t.
  const size_t i = size_t(blockIdx.x) * BLOCK * 2 + t;
  TILESCOPE_PHASE(load);
  int own = i < n ? in[i] : 0;
  if (i + BLOCK < n) own += in[i + BLOCK];
  part[t] = own;
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
