// sum += all elements of `in`.
// New here: when one warp is left it adds with shuffles. Its lanes pass their values on in
// registers: no shared memory and no barrier for the last five steps.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif

static_assert((BLOCK & (BLOCK - 1)) == 0, "the tree halves the block: BLOCK must be a power of two");
static_assert(BLOCK >= 32, "the last warp is whole: BLOCK must be at least 32");

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction_last_warp(const int* in, int* sum, int n) {
  __shared__ int part[BLOCK];
  const int t = threadIdx.x;
  // Of the 2 BLOCK elements of the block, thread t reads t and BLOCK + t.
  const size_t i = size_t(blockIdx.x) * BLOCK * 2 + t;
  TILESCOPE_PHASE(load);
  int pair = i < n ? in[i] : 0;
  if (i + BLOCK < n) pair += in[i + BLOCK];
  part[t] = pair;
  TILESCOPE_PHASE(wait);
  __syncthreads();
  TILESCOPE_PHASE(add);
  for (int s = BLOCK / 2; s >= 32; s /= 2) {
    if (t < s) part[t] += part[t + s];
    __syncthreads();
  }
  TILESCOPE_PHASE(store);
  if (t < 32) {
    int own = part[t];
#pragma unroll
    for (int s = 16; s > 0; s /= 2) own += __shfl_down_sync(0xffffffff, own, s);
    if (t == 0) atomicAdd(sum, own);
  }
}
