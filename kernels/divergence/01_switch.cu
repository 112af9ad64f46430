// Every element grows by STEPS times a number of its own way, of which there are WAYS.
// Neighbouring lanes go different ways: the warp takes them one after the other, each with the
// other lanes idle. 32 ways cost 32 times one.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef WAYS
#define WAYS 8
#endif
#ifndef STEPS
#define STEPS 64
#endif

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
#define TILESCOPE_FOUR(way) \
  TILESCOPE_WAY(way) TILESCOPE_WAY(way + 1) TILESCOPE_WAY(way + 2) TILESCOPE_WAY(way + 3)

extern "C" __global__ void __launch_bounds__(BLOCK)
    divergence_switch(const int* in, int* out, int rows, int cols) {
  const size_t count = size_t(rows) * cols;
  const size_t place = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (place >= count) return;
  TILESCOPE_PHASE(load);
  int element = in[place];
  TILESCOPE_PHASE(compute);
  switch (int(place % cols % WAYS)) {
    TILESCOPE_FOUR(0)
    TILESCOPE_FOUR(4)
    TILESCOPE_FOUR(8)
    TILESCOPE_FOUR(12)
    TILESCOPE_FOUR(16)
    TILESCOPE_FOUR(20)
    TILESCOPE_FOUR(24)
    TILESCOPE_FOUR(28)
  }
  TILESCOPE_PHASE(store);
  out[place] = element;
}
