// sum += all elements of `in`.
// New here: few blocks with much work each. A thread adds in registers what it meets on its way
// through the array, four elements per load, before the block adds once: shuffles inside each warp,
// one word of shared memory per warp, shuffles again. One atomic operation per block is left.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef BLOCKS
#define BLOCKS 512
#endif

static_assert(BLOCK % 32 == 0, "the block has whole warps: BLOCK must be a multiple of 32");

// The sum of a warp's values, in lane 0.
__device__ int warp_sum(int own) {
#pragma unroll
  for (int s = 16; s > 0; s /= 2) own += __shfl_down_sync(0xffffffff, own, s);
  return own;
}

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction_grid_stride(const int* in, int* sum, int n) {
  __shared__ int part[BLOCK / 32];
  const int t = threadIdx.x;
  const size_t first = size_t(blockIdx.x) * BLOCK + t;
  const size_t stride = size_t(gridDim.x) * BLOCK;
  TILESCOPE_PHASE(load);
  int own = 0;
  const int4* in4 = reinterpret_cast<const int4*>(in);
  for (size_t i = first; i < n / 4; i += stride) {
    const int4 four = in4[i];
    own += four.x + four.y + four.z + four.w;
  }
  // At most three elements behind the last four.
  const size_t rest = n / 4 * 4 + first;
  if (rest < n) own += in[rest];
  TILESCOPE_PHASE(add);
  own = warp_sum(own);
  if (t % 32 == 0) part[t / 32] = own;
  TILESCOPE_PHASE(wait);
  __syncthreads();
  TILESCOPE_PHASE(store);
  if (t < 32) {
    own = warp_sum(t < BLOCK / 32 ? part[t] : 0);
    if (t == 0) atomicAdd(sum, own);
  }
}
