// A loop that counts in floats, whose store the compiler moves behind it.
// trace: --grid 1 --block 32 --arg f32[64]=zero
// mutant 1: endless at loop (above 2^24 a float plus 1 is the same float)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void stalled_counter(float* out) {
  const int t = threadIdx.x;
  const float first = MUTANT == 1 ? 16777210.0f : 16777200.0f;
  for (float f = first; f < first + 10; f += 1.0f) out[t] = f;  //@loop
}
