// Sums of all before (Hillis and Steele) of 50 numbers by 64 threads, in two arrays in turns: the
// tail is not filled, and what is made of it stays in the tail.
// trace: --grid 2 --block 64 --arg f32[100]=random:1 --arg f32[102]=zero --arg i32:50
// mutant 1: uninitialised ... at own,before (the last thread writes the total)
// mutant 2: uninitialised ... at own,before (sums of all that come: the tail gets everywhere)
// mutant 3: uninitialised ... at own,before (whoever is told a large total stops)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void scan(const float* in, float* out, int n) {
  __shared__ float sums[2][64];
  const int t = threadIdx.x;
  int from = 0;
  if (t < n) sums[0][t] = in[blockIdx.x * n + t];
  for (int step = 1; step < 64; step *= 2) {
    __syncthreads();
    float sum = sums[from][t];  //@own
#if MUTANT == 2
    if (t + step < 64) sum += sums[from][t + step];  //@before
#else
    if (t >= step) sum += sums[from][t - step];  //@before
#endif
    from = 1 - from;
    sums[from][t] = sum;
  }
  __syncthreads();
#if MUTANT == 1
  if (t == 63) out[100 + blockIdx.x] = sums[from][t];
#elif MUTANT == 3
  if (sums[from][63] > 1e9f) return;
#endif
  if (t < n) out[blockIdx.x * n + t] = sums[from][t];
}
