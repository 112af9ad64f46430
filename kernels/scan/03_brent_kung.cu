// out[i] = the sum of in[j] for all j of the segment up to i. A segment is SEGMENT elements long.
// New here: a tree up and a tree down (Brent and Kung), with half as many threads as elements. On
// the way up the last element of each group gets the sum of the group; on the way down these sums
// are passed on to the middle of the next group. 2 SEGMENT additions, in twice as many steps. PAD 1
// leaves a word free after each 32, without which the strides of the trees are bank conflicts.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef SEGMENT
#define SEGMENT 512
#endif
#ifndef PAD
#define PAD 1
#endif

static_assert((SEGMENT & (SEGMENT - 1)) == 0, "groups double: SEGMENT must be a power of two");
static_assert(SEGMENT >= 64, "the block has whole warps: SEGMENT must be at least 64");

// Where element i lies in shared memory.
__device__ int place(int i) { return PAD ? i + i / 32 : i; }

extern "C" __global__ void __launch_bounds__(SEGMENT / 2)
    scan_brent_kung(const float* in, float* out, int n) {
  __shared__ float part[SEGMENT + SEGMENT / 32];
  const int t = threadIdx.x;
  const size_t first = size_t(blockIdx.x) * SEGMENT;
  TILESCOPE_PHASE(load);
  for (int e = t; e < SEGMENT; e += SEGMENT / 2) {
    part[place(e)] = first + e < n ? in[first + e] : 0;
  }
  TILESCOPE_PHASE(up);
  for (int s = 1; s < SEGMENT; s *= 2) {
    __syncthreads();
    const int last = 2 * s * (t + 1) - 1;  // of the group of 2 s elements
    if (last < SEGMENT) part[place(last)] += part[place(last - s)];
  }
  TILESCOPE_PHASE(down);
  for (int s = SEGMENT / 4; s > 0; s /= 2) {
    __syncthreads();
    const int last = 2 * s * (t + 1) - 1;
    if (last + s < SEGMENT) part[place(last + s)] += part[place(last)];
  }
  TILESCOPE_PHASE(store);
  __syncthreads();
  for (int e = t; e < SEGMENT; e += SEGMENT / 2) {
    if (first + e < n) out[first + e] = part[place(e)];
  }
}
