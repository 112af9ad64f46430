// A slice of a small array: what an index is wrong by decides where it lands.
// trace: --grid 1 --block 64 --arg f32[256]=random:7 --arg f32[64]=zero --arg f32[64]=iota --arg i32:1
// mutant 1: out_of_bounds at take (a slice of 2^20 elements: the next arrays are not there)
// mutant 2: out_of_bounds at give (the same, for a store)
// mutant 3: out_of_bounds at take (a slice of 2^18)
// mutant 4: out_of_bounds at take (the last thread's index is 2^31, which 32 bits do not hold)
// says 4: compute the index in 64 bits
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void slices(const float* in, float* out, const float* weights, int slice) {
  const int take = MUTANT == 1 ? 1 << 20 : MUTANT == 3 ? 1 << 18 : 64;
  const int give = MUTANT == 2 ? 1 << 20 : 0;
#if MUTANT == 4
  const int far = slice * (1 << 25) * static_cast<int>(threadIdx.x + 1);
  const float value = far < 256 ? in[far] : 0.0f;  //@take
#else
  const float value = in[slice * take + threadIdx.x];  //@take
#endif
  out[slice * give + threadIdx.x] = value * weights[threadIdx.x];  //@give
}
