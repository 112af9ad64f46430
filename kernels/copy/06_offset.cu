// out = in, both rows x cols floats without gaps.
// One thread copies one float, neighbouring lanes neighbouring ones, but the first warp begins
// OFFSET floats before the matrix, where its lanes have nothing to do. Each warp then begins inside
// a sector unless OFFSET is a multiple of 8.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef OFFSET
#define OFFSET 1
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    copy_offset(const float* in, float* out, int rows, int cols) {
  const size_t count = size_t(rows) * cols;
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (i < OFFSET || i - OFFSET >= count) return;

  TILESCOPE_PHASE(load);
  const float element = in[i - OFFSET];
  TILESCOPE_PHASE(store);
  out[i - OFFSET] = element;
}
