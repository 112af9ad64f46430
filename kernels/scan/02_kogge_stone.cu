// out[i] = the sum of in[j] for all j of the segment up to i. A segment is SEGMENT elements long.
// New here: a thread for each element (Kogge and Stone). In step s each thread adds the sum s
// elements back, so that after log2 SEGMENT steps all sums are there: few steps, and
// SEGMENT log2 SEGMENT additions where SEGMENT would be enough.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef SEGMENT
#define SEGMENT 256
#endif

static_assert((SEGMENT & (SEGMENT - 1)) == 0, "steps double: SEGMENT must be a power of two");

extern "C" __global__ void __launch_bounds__(SEGMENT)
    scan_kogge_stone(const float* in, float* out, int n) {
  __shared__ float part[SEGMENT];
  const int t = threadIdx.x;
  const size_t i = size_t(blockIdx.x) * SEGMENT + t;
  TILESCOPE_PHASE(load);
  float sum = i < n ? in[i] : 0;
  part[t] = sum;
  TILESCOPE_PHASE(add);
  for (int s = 1; s < SEGMENT; s *= 2) {
    __syncthreads();
    if (t >= s) sum += part[t - s];
    // Everybody must have read before anybody writes.
    __syncthreads();
    part[t] = sum;
  }
  TILESCOPE_PHASE(store);
  if (i < n) out[i] = sum;
}
