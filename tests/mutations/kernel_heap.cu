// Each thread sorts a few numbers in memory of its own from the kernel's heap.
// trace: --grid 2 --block 32 --arg i32[256]=i*37%101 --arg i32[256]=zero
// mutant 1: out_of_bounds at release (the memory is freed a second time)
// mutant 2: out_of_bounds at release (not the pointer that new gave)
// says 1: frees memory that is not allocated: it was freed before
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void sort_few(const int* in, int* out) {
  const int first = (blockIdx.x * 32 + threadIdx.x) * 4;
  int* mine = new int[4];
  for (int i = 0; i < 4; ++i) {
    int at = i;
    for (; at > 0 && mine[at - 1] > in[first + i]; --at) mine[at] = mine[at - 1];
    mine[at] = in[first + i];
  }
  for (int i = 0; i < 4; ++i) out[first + i] = mine[i];
#if MUTANT == 1
  delete[] mine;
#endif
  delete[] (MUTANT == 2 ? mine + 2 : mine);  //@release
}
