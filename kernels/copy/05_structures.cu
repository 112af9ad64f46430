// out = in, both rows x cols floats without gaps, taken as structures of FIELDS floats.
// One thread copies one structure, float by float. The floats of a structure are next to each other
// (an array of structures), or with APART each field has an array of its own (a structure of
// arrays): then neighbouring lanes touch neighbouring floats.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef FIELDS
#define FIELDS 8
#endif
#ifndef APART
#define APART 0
#endif
#ifndef BLOCK
#define BLOCK 256
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    copy_structures(const float* in, float* out, int rows, int cols) {
  const size_t floats = size_t(rows) * cols;
  const size_t count = (floats + FIELDS - 1) / FIELDS;  // structures; the last may be cut
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (i >= count) return;

  const size_t first = APART != 0 ? i : i * FIELDS;
  const size_t step = APART != 0 ? count : 1;  // from one field of a structure to the next
#pragma unroll
  for (int field = 0; field < FIELDS; ++field) {
    const size_t place = first + field * step;
    if (place >= floats) break;
    TILESCOPE_PHASE(load);
    const float value = in[place];
    TILESCOPE_PHASE(store);
    out[place] = value;
  }
}
