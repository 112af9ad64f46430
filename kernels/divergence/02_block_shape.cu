// Every element grows by STEPS or by twice as much, as its row is even or odd.
// Whether a warp diverges depends on the shape of the block: one of 32 or 64 threads across gives
// each row warps of its own, one of 16 puts two rows into a warp.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK_X
#define BLOCK_X 16
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 16
#endif
#ifndef STEPS
#define STEPS 64
#endif

// Work that the compiler can neither shorten nor share between the two.
template <int Step>
__device__ __noinline__ int walk(int element) {
#pragma unroll 1
  for (int i = 0; i < STEPS; ++i) {
    asm volatile("add.s32 %0, %0, %1;" : "+r"(element) : "n"(Step));
  }
  return element;
}

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    divergence_block_shape(const int* in, int* out, int rows, int cols) {
  const int row = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int col = blockIdx.x * BLOCK_X + threadIdx.x;
  if (row >= rows || col >= cols) return;
  const size_t place = size_t(row) * cols + col;
  TILESCOPE_PHASE(load);
  int element = in[place];
  TILESCOPE_PHASE(compute);
  if (row % 2 == 0) {
    element = walk<1>(element);
  } else {
    element = walk<2>(element);
  }
  TILESCOPE_PHASE(store);
  out[place] = element;
}
