// Counts, products and bits of several threads at one place, each changed in one step by an atomic; a
// plain change loses some, though all threads may store the same value.
// trace: --grid 2 --block 64 --arg u32[128]=random:3 --arg u32[16]=zero --arg f32[2]=zero --arg u64[2]=zero --arg u32[4]=iota
// mutant 1: shared_race at bytes (u8: lanes of one warp, and both warps)
// says 1: so that a change is lost
// mutant 2: shared_race at scaled (x *= 2 by lanes of one warp: doubled once)
// says 2: so that a change is lost
// mutant 3: shared_race at scaled (x <<= 1)
// mutant 4: global_race at total (f32 by one lane of each block)
// says 4: use an atomic (atomicAdd)
// mutant 5: global_race at wide (u64 by all lanes of a warp)
// says 5: so that a change is lost
// mutant 6: shared_race at bytes (by a function and a pointer)
// says 6: so that a change is lost
// mutant 7: global_race at total (by one warp of each block, in a loop)
// mutant 8: shared_race at scaled (x = 3 - x by lanes of one warp)
// says 8: so that a change is lost
// mutant 9: global_race at most (the larger one of two blocks' values)
// mutant 10: shared_race at bytes (a post-increment whose old value is an index)
// says 10: so that a change is lost
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ void count(unsigned* bins, unsigned bin) { ++bins[bin]; }  //@bytes

__global__ void changes(const unsigned* in, unsigned* bins, float* total, unsigned long long* wide, unsigned* most) {
  __shared__ unsigned counts[8];
  __shared__ unsigned char bytes[8];
  __shared__ unsigned scaled, order[64];
  const unsigned t = threadIdx.x;
  if (t < 8) counts[t] = bytes[t] = 0;
  if (t == 0) scaled = 1;
  order[t] = t;
  __syncthreads();
  const unsigned value = in[blockIdx.x * 64 + t];
  const unsigned bin = value & 7;
#if MUTANT == 1
  ++bytes[bin];  //@bytes
#elif MUTANT == 6
  count(counts, bin);  //@bytes
#elif MUTANT == 10
  order[counts[bin]++ & 63] = 0;  //@bytes
#else
  atomicAdd(&counts[bin], 1u);
#endif
  if (t < 5) {
#if MUTANT == 2
    scaled *= 3;  //@scaled
#elif MUTANT == 3
    scaled <<= 1;  //@scaled
#elif MUTANT == 8
    scaled = 3 - scaled;  //@scaled
#else
    atomicXor(&scaled, 1u << t);
#endif
  }
#if MUTANT == 4
  if (t == 0) *total += 1.0f;  //@total
#elif MUTANT == 7
  for (int i = 0; i < 3; ++i)
    if (t == 32) *total += 1.0f;  //@total
#else
  if (t == 0) atomicAdd(total, 1.0f);
#endif
#if MUTANT == 5
  if (blockIdx.x == 0 && t < 32) *wide += 1;  //@wide
#else
  atomicAdd(wide, 1ull);
#endif
#if MUTANT == 9
  if (t == 0 && *most < value) *most = value;  //@most
#else
  atomicMax(most, value);
#endif
  __syncthreads();
  if (t < 8) bins[blockIdx.x * 8 + t] = counts[t] + bytes[t] + scaled + order[t];
}
