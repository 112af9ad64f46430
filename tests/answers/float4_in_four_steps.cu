// Each lane reads 16 B of shared memory. A warp's 512 B need 4 wavefronts of 128 B at the least, so
// 4 are no conflict: lanes 0 and 8 use the same bank, but never in the same wavefront. With rows of
// 32 floats and a row per lane all 8 lanes of a wavefront use the same 4 banks: 8 times as many, 32.
// 2 warps x 8 pieces = 16 requests.
// trace: --grid 1 --block 64 --arg f32[2048]=random:1 --arg f32[64]=zero
// counts: shared_load at take: requests 16, wavefronts 64, wavefronts_ideal 64
// trace 1: -D ROW_PER_LANE
// counts 1: shared_load at take: requests 16, wavefronts 512, wavefronts_ideal 64
__global__ void largest_of_pieces(const float* values, float* largest) {
  __shared__ alignas(16) float pool[64 * 32];
  const int t = threadIdx.x;
  for (int i = t; i < 64 * 32; i += 64) pool[i] = values[i];
  __syncthreads();
  float most = -1e30f;
#pragma unroll 1
  for (int piece = 0; piece < 8; ++piece) {
#ifdef ROW_PER_LANE
    const int at = t * 8 + piece;
#else
    const int at = piece * 64 + t;
#endif
    const float4 four = reinterpret_cast<const float4*>(pool)[at];  //@take
    most = fmaxf(fmaxf(most, fmaxf(four.x, four.y)), fmaxf(four.z, four.w));
  }
  largest[t] = most;
}
