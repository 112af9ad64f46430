// Every element grows by the number of turns that its loop takes: a multiple of STEPS that depends
// on its column. A warp goes on until its last lane is done; the others are idle that long. The
// lanes of GROUP neighbours take the same number of turns.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef GROUP
#define GROUP 1
#endif
#ifndef STEPS
#define STEPS 4
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    divergence_trip_counts(const int* in, int* out, int rows, int cols) {
  const size_t count = size_t(rows) * cols;
  const size_t place = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (place >= count) return;
  TILESCOPE_PHASE(load);
  int element = in[place];
  TILESCOPE_PHASE(compute);
  const int turns = (int(place % cols) / GROUP % 32 + 1) * STEPS;
#pragma unroll 1
  for (int i = 0; i < turns; ++i) {
    asm volatile("add.s32 %0, %0, 1;" : "+r"(element));  // the compiler must not add them up
  }
  TILESCOPE_PHASE(store);
  out[place] = element;
}
