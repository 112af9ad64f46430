// A structure with gaps between its members goes by value to a function that is not inlined.
// trace: --grid 1 --block 64 --arg f64[64]=iota --arg f64[64]=zero
// mutant 1: uninitialised at pass (one of them is never written)
// mutant 2: shared_race at fill,pass (no barrier between the two)
#ifndef MUTANT
#define MUTANT 0
#endif

struct Sample {
  char kind;
  double value;
  short count;
};

__device__ __noinline__ double weigh(Sample sample) {
  return sample.kind + sample.value + sample.count;
}

__global__ void samples(const double* in, double* out) {
  __shared__ Sample kept[64];
  Sample sample;
  sample.kind = 1;
  sample.value = in[threadIdx.x];
  sample.count = 2;
#if MUTANT == 1
  if (threadIdx.x != 5)
#endif
  kept[threadIdx.x] = sample;  //@fill
#if MUTANT != 2
  __syncthreads();
#endif
  out[threadIdx.x] = weigh(kept[63 - threadIdx.x]);  //@pass
}
