// A block of 128 folds its values in three ways, 7 steps of two loads and a store.
// trace: --grid 4 --block 128 --arg i32[512]=random:1 --arg i32[4]=zero
// Threads that are multiples of 2, 4, 8 ... work: no bank conflict, but lanes are idle in all warps.
// Warps that take part per step: 4, 4, 4, 4, 4, 2, 1; lanes 64 + 32 + 16 + 8 + 4 + 2 + 1 = 127.
// trace 0: -D FOLD=0
// counts 0: shared_load at fold: requests 184, wavefronts 184, wavefronts_ideal 184, active_lanes 1016
// The first threads work, at places 2, 4, 8 ... apart: full warps, and bank conflicts.
// Per load: 2 warps x 2, 1 warp x 4, 16 lanes 4-way, 8 lanes 4-way, 4 lanes 4-way, 2, 1.
// trace 1: -D FOLD=1
// counts 1: shared_load at fold: requests 64, wavefronts 184, wavefronts_ideal 64, active_lanes 1016
// The first threads work on neighbours: neither.
// trace 2: -D FOLD=2
// counts 2: shared_load at fold: requests 64, wavefronts 64, wavefronts_ideal 64, active_lanes 1016
#ifndef FOLD
#define FOLD 0
#endif

__global__ void fold(const int* in, int* out) {
  __shared__ int values[128];
  const int t = threadIdx.x;
  values[t] = in[blockIdx.x * 128 + t];
#pragma unroll 1
  for (int d = 1; d < 128; d *= 2) {
    __syncthreads();
#if FOLD == 0
    const bool works = t % (2 * d) == 0;
    const int at = t, other = t + d;
#elif FOLD == 1
    const bool works = t < 64 / d;
    const int at = 2 * d * t, other = at + d;
#else
    const bool works = t < 64 / d;
    const int at = t, other = t + 64 / d;
#endif
    if (works) values[at] ^= values[other];  //@fold
  }
  if (t == 0) out[blockIdx.x] = values[0];
}
