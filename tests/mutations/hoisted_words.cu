// One thread of each block leaves a word in shared memory and looks at it by itself. The compiler
// loads the word in every thread, in front of the question who looks: those whose value is left out
// have read nothing.
// trace: --grid 2 --block 128 --arg i32[256]=iota --arg i32[512]=zero
// mutant 1: shared_race at ask,leave (a thread of another warp looks, too)
// says 1: reads word, which thread (0,0,0) writes
// mutant 2: shared_race at take,leave (the other half of the block takes the word)
// mutant 3: shared_race at leave,ask (the word is changed while a thread of another warp may look)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void look(const int* in, int* out) {
  __shared__ int word;
  const int t = threadIdx.x;
  const int first = blockIdx.x * 128;
#if MUTANT == 3
  const bool leaves = t == 96;
#else
  const bool leaves = t == 0;
#endif
  if (t == 0) word = in[first];
  __syncwarp();
#if MUTANT == 3
  __syncthreads();
#endif
  if (leaves) word = in[first + 1];  //@leave
#if MUTANT == 1
  const bool asks = t == 0 || t == 64;
#else
  const bool asks = t == 0;
#endif
  const bool found = asks && word > 3;  //@ask
  out[first + t] = found ? 1 : 2;
#if MUTANT == 2
  const bool takes = t >= 64;
#else
  const bool takes = t == 0;
#endif
  out[256 + first + t] = takes ? word : t;  //@take
}
