// Tiles come by cuda::memcpy_async through a pipeline of each thread. consumer_release() orders this
// thread alone: the first warp starts the next copy while the others still read this tile. A barrier
// at the end of the loop ends it. One tile alone shows nothing.
// trace: --grid 2 --block 96 --arg f32[384]=random:1 --arg f32[192]=zero
// trace 0: --arg i32:3
// trace 1: --arg i32:3 -D NO_BARRIER
// mutant 1: shared_race at copy (the next tile is copied over this one)
// trace 2: --arg i32:1 -D NO_BARRIER
#include <cuda/pipeline>

__global__ void nearest(const float4* boxes, float* out, int tiles) {
  __shared__ alignas(16) float4 tile[32];
  const int t = threadIdx.x;
  auto pipe = cuda::make_pipeline();
  float least = 1e30f;
#pragma unroll 1
  for (int k = 0; k < tiles; ++k) {
    pipe.producer_acquire();
    if (t < 32)
      cuda::memcpy_async(&tile[t], &boxes[k * 32 + t], cuda::aligned_size_t<16>(16), pipe);  //@copy
    pipe.producer_commit();
    pipe.consumer_wait();
    __syncthreads();
    for (int i = 0; i < 32; ++i) least = fminf(least, tile[i].x * t + tile[i].w);
    pipe.consumer_release();
#ifndef NO_BARRIER
    __syncthreads();
#endif
  }
  out[blockIdx.x * 96 + t] = least;
}
