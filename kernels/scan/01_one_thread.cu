// out[i] = the sum of in[j] for all j of the segment up to i. A segment is SEGMENT elements long.
// One thread walks along each segment: SEGMENT additions one after the other, and neighbouring
// lanes read and write SEGMENT elements apart.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 128
#endif
#ifndef SEGMENT
#define SEGMENT 256
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    scan_one_thread(const float* in, float* out, int n) {
  const size_t first = (size_t(blockIdx.x) * BLOCK + threadIdx.x) * SEGMENT;
  float sum = 0;
  for (size_t i = first; i < first + SEGMENT && i < n; ++i) {
    TILESCOPE_PHASE(load);
    sum += in[i];
    TILESCOPE_PHASE(store);
    out[i] = sum;
  }
}
