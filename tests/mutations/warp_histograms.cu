// A histogram for each warp, added up in the end, and its highest bin.
// trace: --grid 2 --block 96 --arg u8[768]=random:1 --arg u32[64]=zero
// mutant 1: shared_race at count (one of two counts without an atomic)
// mutant 2: shared_race at peak (the highest bin by a load and a store)
// says 2: atomicMax or atomicMin
// mutant 3: misaligned at word (rows of three bytes, read by four)
// mutant 4: out_of_bounds ... at bin (a value that is no bin)
// says 4: past its end: 192 elements of 4 bytes
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void hist(const unsigned char* in, unsigned* out) {
  __shared__ unsigned c[3][64];
  __shared__ unsigned peak;
  int t = threadIdx.x, w = t / 32;
  for (int i = t; i < 192; i += 96) c[i / 64][i % 64] = 0;
  if (t == 0) peak = 0;
  __syncthreads();
#if MUTANT == 3
  uchar4 v = *(const uchar4*)(in + blockIdx.x * 384 + t * 3);  //@word
#else
  uchar4 v = *(const uchar4*)(in + blockIdx.x * 384 + t * 4);
#endif
#if MUTANT == 4
  atomicAdd(&c[w][v.x], 1u);  //@bin
  atomicAdd(&c[w][v.y % 64], 1u);
#elif MUTANT == 1
  c[w][v.x % 64]++;                //@count
  atomicAdd(&c[w][v.y % 64], 1u);  //@count
#else
  atomicAdd(&c[w][v.x % 64], 1u);
  atomicAdd(&c[w][v.y % 64], 1u);
#endif
  __syncthreads();
  if (t < 64) {
    unsigned s = c[0][t] + c[1][t] + c[2][t];
    atomicAdd(&out[t], s);
#if MUTANT == 2
    if (s > peak) peak = s;  //@peak
#else
    atomicMax(&peak, s);
#endif
  }
  __syncthreads();
  if (t == 0) atomicMax(&out[0], peak);
}
