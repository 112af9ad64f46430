// Running sums over the columns of a matrix, one tile loaded while the one before is used.
// trace: --grid 2 --block 96 --arg f32[6144]=random:2 --arg f32[192]=zero --arg i32:32
// mutant 1: shared_race at use (no barrier at all)
// mutant 2: shared_race at next (both buffers are one)
// mutant 3: uninitialised at use (the first tile is not loaded)
// mutant 4: out_of_bounds ... at next (three buffers are indexed)
// mutant 5: out_of_bounds at fetch (the tile after the last is fetched)
// mutant 6: barrier at meet (the last turn leaves the barrier out for one warp)
#ifndef MUTANT
#define MUTANT 0
#endif
#define WIDTH 96

__global__ void columns(const float* in, float* out, int rows) {
  __shared__ float tail[WIDTH];
  __shared__ float tile[2][WIDTH];
  const int t = threadIdx.x;
  const float* from = in + blockIdx.x * rows * WIDTH;
  tail[t] = 0.0f;
#if MUTANT != 3
  tile[0][t] = from[t];
#endif
  __syncthreads();
  float sum = 0.0f;
  for (int r = 0; r < rows; ++r) {
    float next = 0.0f;
#if MUTANT == 5
    next = from[(r + 1) * WIDTH + t];  //@fetch
#else
    if (r + 1 < rows) next = from[(r + 1) * WIDTH + t];  //@fetch
#endif
    sum += tile[r % 2][WIDTH - 1 - t];  //@use
#if MUTANT == 2
    tile[r % 2][t] = next;  //@next
#elif MUTANT == 4
    tile[(r + 1) % 3][t] = next;  //@next
#else
    tile[(r + 1) % 2][t] = next;  //@next
#endif
#if MUTANT == 6
    if (r + 1 < rows || t >= 32) __syncthreads();  //@meet
#elif MUTANT != 1
    __syncthreads();
#endif
  }
  out[blockIdx.x * WIDTH + t] = sum + tail[WIDTH - 1 - t];
}
