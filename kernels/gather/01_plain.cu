// out[i] = table[index[i]].
// Neighbouring threads read neighbouring indices, which is coalesced. Which elements of the table a
// warp reads, and from how many sectors, its indices decide. SPREAD is the distance of neighbouring
// indices: the input depends on it, not this code.
#ifndef TILESCOPE_PHASE
#define TILESCOPE_PHASE(name)
#endif
#ifndef BLOCK
#define BLOCK 256
#endif
#ifndef SPREAD
#define SPREAD 8
#endif

extern "C" __global__ void __launch_bounds__(BLOCK)
    gather_plain(const int* index, const int* table, int* out, int n) {
  const size_t i = size_t(blockIdx.x) * BLOCK + threadIdx.x;
  if (i >= n) return;
  TILESCOPE_PHASE(load_index);
  const int place = index[i];
  TILESCOPE_PHASE(load);
  const int element = table[place];
  TILESCOPE_PHASE(store);
  out[i] = element;
}
