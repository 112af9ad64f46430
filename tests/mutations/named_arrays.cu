// What lies out of bounds is told of the array that the source indexes, wherever the address lands.
// trace: --grid 1 --block 64 --arg f32[64]=iota --arg f32[64]=zero --arg i32:8
// mutant 1: out_of_bounds at below (below the second buffer, which is above the first)
// says 1: reads out[-200], before its start
// mutant 2: out_of_bounds at above (far above the first, beyond the second)
// says 2: reads in[100000], 99,937 past its end
// mutant 3: out_of_bounds at far (past a shared array, its neighbour and all there is)
// says 3: writes rows[500], 437 past its end: 64 elements of 4 bytes
// mutant 4: out_of_bounds at sum (a function reads past the array of its caller)
// says 4: reads element 8 of a local array of sums, 1 past its end: 8 elements of 4 bytes
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ __noinline__ float sum_of(const float* values, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += values[i];  //@sum
  return sum;
}

__global__ void sums(const float* in, float* out, int n) {
  __shared__ float rows[64];
  __shared__ float limits[2];
  const int t = threadIdx.x;
  float own[8];
  for (int i = 0; i < n; ++i) own[i] = in[(t + i) % 64];
  if (t < 2) limits[t] = in[t];
  float more = 0;
#if MUTANT == 1
  more = out[t - 200];  //@below
#elif MUTANT == 2
  more = in[t + 100000];  //@above
#endif
#if MUTANT == 3
  rows[t + (t == 4) * 62 * n] = t;  //@far
#else
  rows[t] = t;
#endif
  __syncthreads();
  out[t] = sum_of(own, MUTANT == 4 ? n + 4 : n) + rows[63 - t % 4 - 4] + limits[t % 2] + more;
}
