// out = in, both rows x cols floats, row-major.
// New here: a thread moves ITEMS pieces of VECTOR floats. More bytes are on their way for each
// thread, so fewer threads keep the memory busy: Little's law.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef VECTOR
#define VECTOR 4
#endif
#ifndef ITEMS
#define ITEMS 1
#endif

template <int Floats>
struct Pack;
template <>
struct Pack<1> {
  using Type = float;
};
template <>
struct Pack<2> {
  using Type = float2;
};
template <>
struct Pack<4> {
  using Type = float4;
};
using Piece = Pack<VECTOR>::Type;

extern "C" __global__ void __launch_bounds__(BLOCK)
    copy_wide(const float* in, float* out, int rows, int cols) {
  const size_t count = size_t(rows) * cols;
  const size_t whole = count / VECTOR;  // pieces; the matrix lies without gaps
  const size_t first = size_t(blockIdx.x) * BLOCK * ITEMS + threadIdx.x;
  const Piece* from = reinterpret_cast<const Piece*>(in);
  Piece* to = reinterpret_cast<Piece*>(out);

  TILESCOPE_PHASE(load);
  Piece pieces[ITEMS];
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {  // all are asked for before the first one is used
    if (first + i * BLOCK < whole) pieces[i] = from[first + i * BLOCK];
  }
  TILESCOPE_PHASE(store);
#pragma unroll
  for (int i = 0; i < ITEMS; ++i) {
    if (first + i * BLOCK < whole) to[first + i * BLOCK] = pieces[i];
  }
  // Floats that are left over.
  if (first < count % VECTOR) out[whole * VECTOR + first] = in[whole * VECTOR + first];
}
