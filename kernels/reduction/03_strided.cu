// sum += all elements of `in`.
// New here: neighbouring threads work. In step s thread t adds for element 2 s t, so that whole
// warps have work or none. Neighbouring lanes are 2 s elements apart in shared memory: 2, 4, ... 32
// of them need the same bank.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif

static_assert((BLOCK & (BLOCK - 1)) == 0, "the tree halves the block: BLOCK must be a power of two");

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction_strided(const int* in, int* sum, int n) {
  __shared__ int part[BLOCK];
  const int t = threadIdx.x;
  const size_t i = size_t(blockIdx.x) * BLOCK + t;
  TILESCOPE_PHASE(load);
  part[t] = i < n ? in[i] : 0;
  TILESCOPE_PHASE(wait);
  __syncthreads();
  TILESCOPE_PHASE(add);
  for (int s = 1; s < BLOCK; s *= 2) {
    const int at = 2 * s * t;
    if (at < BLOCK) part[at] += part[at + s];
    __syncthreads();
  }
  TILESCOPE_PHASE(store);
  if (t == 0) atomicAdd(sum, part[0]);
}
