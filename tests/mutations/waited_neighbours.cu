// Blocks that wait for each other: each for the flag of its neighbour, then all for all at a barrier
// of the grid, and the last one sets a counter back. What a block has not waited for it must not read.
// trace: --grid 4 --block 64 --arg f32[64]=iota --arg f32[256]=zero --arg i32[8]=zero --arg f32[256]=zero
// mutant 1: global_race at parts,next (it waits for the neighbour's flag and reads the one after it)
// mutant 2: global_race at parts,next (one thread waits, the others do not wait for that thread)
// mutant 3: global_race ... at sums,all (the barrier of the grid lets one block through too early)
// mutant 4: global_race at back,draw (every block sets the counter back)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void neighbours(const float* in, float* parts, int* words, float* out) {
  int* const flags = words;
  int* const arrived = words + 6;
  int* const counter = words + 7;
  const int block = blockIdx.x;
  const int blocks = gridDim.x;
  const int t = threadIdx.x;
  parts[block * 64 + t] = in[t] + block;  //@parts
  __threadfence();
  __syncthreads();
  if (t == 0) atomicExch(&flags[block], 1);
  const int next = (block + 1) % blocks;
  const int read = MUTANT == 1 ? (block + 2) % blocks : next;
  if (t == 0) {
    while (atomicAdd(&flags[next], 0) == 0) {
    }
    __threadfence();
  }
#if MUTANT != 2
  __syncthreads();
#endif
  const float beside = parts[read * 64 + 63 - t];  //@next
  __syncthreads();
  if (t == 0) {
    out[block] = beside;  //@sums
    __threadfence();
    atomicAdd(arrived, 1);
    while (atomicAdd(arrived, 0) < (MUTANT == 3 ? blocks - 1 : blocks)) {
    }
    __threadfence();
    float sum = 0;
    for (int i = 0; i < blocks; ++i) sum += out[i];  //@all
    out[64 + block] = sum;
    const bool is_last = atomicAdd(counter, 1) == blocks - 1;  //@draw
    if (is_last || MUTANT == 4) *counter = 0;                  //@back
  }
}
