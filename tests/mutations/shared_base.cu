// One thread finds a base for its block in a branch; the compiler makes a copy of the reading code for
// each side of it, and the readers' copy need not be the later one.
// trace: --grid 2 --block 64 --arg i32[128]=iota --arg i32[128]=zero
// mutant 1: shared_race at read (the readers do not wait for the base)
// says 1: reads base, which thread (0,0,0) writes
// mutant 2: shared_race at write (the base of the next round is written while others still read)
// says 2: writes base while thread
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void bases(const int* in, int* out) {
  __shared__ int base;
  const int t = threadIdx.x;
  const int g = blockIdx.x * 64 + t;
#if MUTANT == 1
  if (t == 0) base = in[g];
  out[g] = base + in[g];  //@read
#else
  int sum = 0;
  for (int round = 0; round < 3; ++round) {
    if (t == 0) base = in[g] + round;  //@write
    __syncthreads();
    if (t != 0) sum += base + in[g];
#if MUTANT != 2
    __syncthreads();
#endif
  }
  out[g] = sum;
#endif
}
