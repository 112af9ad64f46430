// Mean over 2 * RADIUS + 1 neighbours, with a halo in shared memory.
// trace: --grid 4 --block 128 --arg f32[512]=random:4 --arg f32[512]=zero --arg i32:512
// mutant 1: shared_race at sum (no barrier)
// mutant 2: uninitialised at sum (the right halo is not loaded)
// mutant 3: out_of_bounds at sum (the loop runs one too far)
// mutant 4: out_of_bounds at left (no guard at the left end)
// mutant 5: uninitialised at sum (only part of the left halo is loaded)
// mutant 6: out_of_bounds at own (the array is too small by the halo)
// mutant 7: global_race at write,in (in place: neighbours are written by other blocks)
#ifndef MUTANT
#define MUTANT 0
#endif
#define RADIUS 3
#define BLOCK 128

__global__ void blur(float* in, float* out, int n) {
#if MUTANT == 6
  __shared__ float line[BLOCK + RADIUS - 1];
#else
  __shared__ float line[BLOCK + 2 * RADIUS];
#endif
  const int t = threadIdx.x;
  const int i = blockIdx.x * BLOCK + t;
  line[t + RADIUS] = in[i];  //@own
#if MUTANT == 5
  if (t < RADIUS - 1) {
#else
  if (t < RADIUS) {
#endif
#if MUTANT == 4
    line[t] = in[i - RADIUS];  //@left
#else
    line[t] = i >= RADIUS ? in[i - RADIUS] : 0.0f;  //@left
#endif
  }
#if MUTANT == 6
  __syncthreads();
#else
#if MUTANT != 2
  if (t < RADIUS) line[t + BLOCK + RADIUS] = i + BLOCK < n ? in[i + BLOCK] : 0.0f;  //@in
#endif
#if MUTANT != 1
  __syncthreads();
#endif
#endif
  float sum = 0.0f;
#if MUTANT == 3
  for (int k = -RADIUS; k <= RADIUS + 1; ++k) sum += line[t + RADIUS + k];  //@sum
#elif MUTANT == 6
  sum = line[t];
#else
  for (int k = -RADIUS; k <= RADIUS; ++k) sum += line[t + RADIUS + k];  //@sum
#endif
#if MUTANT == 7
  in[i] = sum / (2 * RADIUS + 1);  //@write
#else
  out[i] = sum / (2 * RADIUS + 1);  //@write
#endif
}
