// Two things in one line: one thread adds to a word, the others look at it; or all of them add.
// trace: --grid 1 --block 64 --arg i32[64]=iota --arg i32[64]=zero
// mutant 1: shared_race at line (the thread that adds does not wait for those that look)
// says 1: writes total while thread (0,0,0) may still have to read it
// mutant 2: shared_race at add (every thread adds)
// says 2: as thread (0,0,0) does in this line too
// mutant 3: out_of_bounds at past (it reads and writes past the end)
// says 3: writes out[64], 1 past its end
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void sums(const int* in, int* out) {
  __shared__ int total;
  const int t = threadIdx.x;
  if (t == 0) total = 0;
  __syncthreads();
#if MUTANT == 1
  if (t == 40) total += in[t]; else out[t] = total;  //@line
#elif MUTANT == 2
  total += in[t];  //@add
#else
  if (t == 40) total += in[t];
#endif
  __syncthreads();
#if MUTANT == 3
  out[t + 1] = in[t + 1] + total;  //@past
#else
  out[t] = total;
#endif
}
