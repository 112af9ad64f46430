// Points come through shared memory in tiles of 64; each thread looks for the nearest. The loop has a
// barrier after the tile is written and none after it is read: a fast warp writes the next tile while
// a slow one still reads this one. One tile alone shows nothing: the finding takes count > 64.
// Each point is four floats apart in global memory: 16 sectors per load where 4 would do.
// trace: --grid 2 --block 64 --arg f32[1024]=random:1 --arg f32[128]=zero
// trace 0: --arg i32:256
// counts 0: global_load at fill: requests 32, sectors 512, sectors_ideal 128
// trace 1: --arg i32:256 -D NO_BARRIER
// mutant 1: shared_race at fill (no barrier at the end of the loop)
// trace 2: --arg i32:64 -D NO_BARRIER
__global__ void nearest(const float* points, float* distances, int count) {
  __shared__ float xs[64], ys[64];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  const float x = i % 16 * 0.1f, y = i / 16 * 0.1f;
  float least = 1e30f;
#pragma unroll 1
  for (int first = 0; first < count; first += 64) {
    const float* point = points + (first + t) * 4;
    xs[t] = point[0], ys[t] = point[2];  //@fill
    __syncthreads();
    for (int k = 0; k < 64; ++k) {
      const float dx = xs[k] - x, dy = ys[k] - y;
      least = fminf(least, dx * dx + dy * dy);
    }
#ifndef NO_BARRIER
    __syncthreads();
#endif
  }
  distances[i] = least;
}
