// out = in, both rows x cols floats, row-major.
// New here: between its read and its write a thread waits for its block BARRIERS times. The larger
// the block, the more threads wait for the slowest; small blocks leave others to run meanwhile.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 1024
#endif
#ifndef BARRIERS
#define BARRIERS 4
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    copy_barriers(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[2][BLOCK];

  const size_t count = size_t(rows) * cols;
  const size_t place = size_t(blockIdx.x) * BLOCK + threadIdx.x;

  TILESCOPE_PHASE(load);
  float element = place < count ? in[place] : 0.0f;
#pragma unroll
  for (int i = 0; i < BARRIERS; ++i) {  // through shared memory, so that each wait is needed
    tile[i % 2][threadIdx.x] = element;
    TILESCOPE_PHASE(wait);
    __syncthreads();
    element = tile[i % 2][threadIdx.x];
  }
  TILESCOPE_PHASE(store);
  if (place < count) out[place] = element;
}
