// sum += all elements of `in`: integers, so that every order of adding gives the same result.
// Each thread adds CHUNK neighbouring elements and then adds its sum to the total with one atomic
// operation. Neighbouring threads read CHUNK elements apart: nothing is coalesced.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef CHUNK
#define CHUNK 32
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    reduction_one_thread(const int* in, int* sum, int n) {
  const size_t first = (size_t(blockIdx.x) * BLOCK + threadIdx.x) * CHUNK;
  TILESCOPE_PHASE(load);
  int own = 0;
  for (size_t i = first; i < first + CHUNK && i < n; ++i) own += in[i];
  TILESCOPE_PHASE(store);
  if (first < n) atomicAdd(sum, own);
}
