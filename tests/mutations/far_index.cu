// A slice of a small array: what an index is wrong by decides where it lands.
// trace: --grid 1 --block 64 --arg f32[256]=random:7 --arg f32[64]=zero --arg f32[64]=iota --arg i32:1
// mutant 1: out_of_bounds at take (a slice of 2^20 elements: the next arrays are not there)
// mutant 2: out_of_bounds at give (the same, for a store)
// mutant 3: out_of_bounds at take (a slice of 2^18)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void slices(const float* in, float* out, const float* weights, int slice) {
  const int take = MUTANT == 1 ? 1 << 20 : MUTANT == 3 ? 1 << 18 : 64;
  const int give = MUTANT == 2 ? 1 << 20 : 0;
  const float value = in[slice * take + threadIdx.x];             //@take
  out[slice * give + threadIdx.x] = value * weights[threadIdx.x];  //@give
}
