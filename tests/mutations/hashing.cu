// A table with open addressing, keys hashed into it; indices that go wrong where they wrap.
// trace: --grid 4 --block 64 --arg u32[256]=random:7 --arg u32[512]=zero --arg u32[256]=zero --arg i32:256
// mutant 1: out_of_bounds at probe (the remainder of a negative number)
// mutant 2: out_of_bounds at probe (the next place after the last)
// mutant 3: out_of_bounds at before (n - 1 - i of unsigned numbers)
// mutant 4: global_race ... at look,take (look and take in two steps)
// mutant 5: endless at loop,probe (the table is full of other keys)
// mutant 6: out_of_bounds at probe (a product that overflows int)
#ifndef MUTANT
#define MUTANT 0
#endif
#define SLOTS 512

__global__ void insert(const unsigned* keys, unsigned* table, unsigned* places, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const unsigned key = (keys[i] & 0x7fffffffu) | 1u;
#if MUTANT == 1
  int place = static_cast<int>(key * 2654435761u) % SLOTS;
#elif MUTANT == 6
  int place = i * 16777216 / 8388608 + (i + 1) / 128 * 200;
#else
  int place = static_cast<int>((key * 2654435761u) >> 23);
#endif
#if MUTANT == 2
  place |= SLOTS - 8;
#elif MUTANT == 5
  place &= 15;
#endif
  for (;;) {  //@loop
#if MUTANT == 4
    const unsigned found = table[place];  //@look
    if (found == 0) table[place] = key;  //@take
#else
    const unsigned found = atomicCAS(&table[place], 0u, key);  //@probe
#endif
    if (found == 0 || found == key) break;
#if MUTANT == 2
    place = place + 1;
#elif MUTANT == 5
    place = (place + 1) & 15;
#else
    place = (place + 1) & (SLOTS - 1);
#endif
  }
#if MUTANT == 3
  const unsigned last = n - 1;
  places[last - static_cast<unsigned>(i + 1)] = place;  //@before
#else
  places[n - 1 - i] = place;
#endif
}
