// Every thread of a block leaves a number; the block that comes last adds up each column.
// trace: --grid 4 --block 64 --arg f32[256]=iota --arg f32[256]=zero --arg u32[1]=zero --arg f32[64]=zero
// mutant 1: global_race at leave,gather (each thread has a fence, and thread 0 does not wait for the others')
// says 1: the threads that write have a fence, but the thread that announces it
// mutant 2: global_race at leave,gather (no fence)
// says 2: put __threadfence() between the write and a flag
// mutant 3: global_race ... at poll (one block waits for a plain word)
// says 3: polls a plain word, which the compiler reads once
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void columns(const float* in, float* rows, unsigned* done, float* out) {
  __shared__ bool last;
  const int t = threadIdx.x;
#if MUTANT == 3
  if (blockIdx.x == 3) {
    if (t == 0) {
      while (*done == 0) {  //@poll
      }
    }
    __syncthreads();
    out[t] = in[t];
    return;
  }
  if (blockIdx.x == 0 && t == 0) *done = 1;
#else
  rows[blockIdx.x * 64 + t] = in[blockIdx.x * 64 + t] + 1.0f;  //@leave
#if MUTANT != 2
  __threadfence();
#endif
#if MUTANT != 1
  __syncthreads();
#endif
  if (t == 0) last = atomicAdd(done, 1u) == gridDim.x - 1;
  __syncthreads();
  if (!last) return;
  __threadfence();
  float sum = 0.0f;
  for (int b = 0; b < gridDim.x; ++b) sum += rows[b * 64 + t];  //@gather
  out[t] = sum;
#endif
}
