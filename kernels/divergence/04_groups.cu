// Every element grows by STEPS times a number of its own way, of which there are WAYS.
// New here: GROUP neighbouring threads take the same way. A warp is 32 neighbours, so that with GROUP
// 32 or 64 each warp goes one way as a whole: all ways are taken as before, and no warp diverges.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef WAYS
#define WAYS 8
#endif
#ifndef GROUP
#define GROUP 1
#endif
#ifndef STEPS
#define STEPS 64
#endif

static_assert(WAYS <= 8, "the switch has eight ways: WAYS must be at most 8");

// Work that the compiler can neither shorten nor share between two ways.
template <int Way>
__device__ __noinline__ int walk(int element) {
#pragma unroll 1
  for (int i = 0; i < STEPS; ++i) {
    asm volatile("add.s32 %0, %0, %1;" : "+r"(element) : "n"(Way + 1));
  }
  return element;
}

#define TILESCOPE_WAY(way)        \
  case way:                       \
    element = walk<way>(element); \
    break;

extern "C" __global__ void __launch_bounds__(BLOCK)
    divergence_groups(const int* in, int* out, int rows, int cols) {
  const size_t count = size_t(rows) * cols;
  const size_t place = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (place >= count) return;
  TILESCOPE_PHASE(load);
  int element = in[place];
  TILESCOPE_PHASE(compute);
  switch (int(threadIdx.x) / GROUP % WAYS) {
    TILESCOPE_WAY(0)
    TILESCOPE_WAY(1)
    TILESCOPE_WAY(2)
    TILESCOPE_WAY(3)
    TILESCOPE_WAY(4)
    TILESCOPE_WAY(5)
    TILESCOPE_WAY(6)
    TILESCOPE_WAY(7)
  }
  TILESCOPE_PHASE(store);
  out[place] = element;
}
