// A row is smoothed; threads and blocks read what their neighbours have.
// trace: --grid 4 --block 64 --arg f32[256]=random:3 --arg f32[256]=zero --arg i32:256
// mutant 1: global_race at smooth (in place, which no barrier of a block puts right)
// says 1: write another buffer than is read
// mutant 2: global_race at give,smooth (a barrier of the block between reading and writing)
// says 2: write another buffer than is read
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void smooth(float* row, float* smoothed, int n) {
  const int i = blockIdx.x * 64 + threadIdx.x;
#if MUTANT == 1
  if (i > 0 && i + 1 < n) row[i] = 0.25f * (row[i - 1] + 2.0f * row[i] + row[i + 1]);  //@smooth
#else
  float mean = 0.0f;
  if (i > 0 && i + 1 < n) mean = 0.25f * (row[i - 1] + 2.0f * row[i] + row[i + 1]);  //@smooth
  __syncthreads();
  (MUTANT == 2 ? row : smoothed)[i] = mean;  //@give
#endif
}
