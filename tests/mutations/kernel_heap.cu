// Each thread sorts a few numbers in memory of its own from the kernel's heap.
// trace: --grid 2 --block 32 --arg i32[256]=i*37%101 --arg i32[256]=zero
// mutant 1: out_of_bounds at release (the memory is freed a second time)
// mutant 2: out_of_bounds at release (not the pointer that new gave)
// mutant 3: out_of_bounds at placed,moved,shown (one number too few is allocated)
// mutant 4: out_of_bounds at shown (the memory is freed before its last use)
// says 1: frees memory that is not allocated: it was freed before
// says 3: at byte 12 of an allocation of 12 bytes (malloc or new)
// says 4: reads memory of malloc or new after it was freed
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void sort_few(const int* in, int* out) {
  const int first = (blockIdx.x * 32 + threadIdx.x) * 4;
  int* mine = new int[MUTANT == 3 ? 3 : 4];
  for (int i = 0; i < 4; ++i) {
    int at = i;
    for (; at > 0 && mine[at - 1] > in[first + i]; --at) mine[at] = mine[at - 1];  //@moved
    mine[at] = in[first + i];  //@placed
  }
#if MUTANT == 4
  delete[] mine;
#endif
  for (int i = 0; i < 4; ++i) out[first + i] = mine[i];  //@shown
#if MUTANT == 1
  delete[] mine;
#endif
#if MUTANT != 4
  delete[] (MUTANT == 2 ? mine + 2 : mine);  //@release
#endif
}
