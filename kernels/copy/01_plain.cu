// out = in, both rows x cols floats, row-major.
// One thread moves one element, neighbouring lanes neighbouring ones: what a transpose can hope
// for. With LANES_DOWN they lie below one another instead, so that both sides are a row's length
// apart.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK_X
#define BLOCK_X 32
#endif
#ifndef BLOCK_Y
#define BLOCK_Y 8
#endif
#ifndef LANES_DOWN
#define LANES_DOWN 0
#endif

extern "C" __global__ void __launch_bounds__(BLOCK_X* BLOCK_Y)
    copy_plain(const float* in, float* out, int rows, int cols) {
  const int along = blockIdx.x * BLOCK_X + threadIdx.x;
  const int across = blockIdx.y * BLOCK_Y + threadIdx.y;
  const int row = LANES_DOWN != 0 ? along : across;
  const int col = LANES_DOWN != 0 ? across : along;
  if (row >= rows || col >= cols) return;

  const size_t place = size_t(row) * cols + col;
  TILESCOPE_PHASE(load);
  const float element = in[place];
  TILESCOPE_PHASE(store);
  out[place] = element;
}
