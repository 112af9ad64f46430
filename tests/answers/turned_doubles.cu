// A tile of 32 x 32 doubles is written down its columns and read along its rows. Lanes that write
// are 32 doubles (256 B) apart, so all of them use banks 0 and 1: a 64-bit access takes two
// half-warps of 16 lanes, 16 wavefronts each, 32 per store where 2 are enough. The loads take 2:
// no conflict. Global accesses are coalesced on both sides, 8 sectors per request.
// 4 blocks x 8 warps x 4 rows = 128 requests of each kind.
// trace: --grid 2,2 --block 32,8 --arg f64[4096]=random:1 --arg f64[4096]=zero --arg i32:64
// counts: shared_store at put: requests 128, wavefronts 4096, wavefronts_ideal 256
// counts: shared_load at take: requests 128, wavefronts 256, wavefronts_ideal 256
// counts: global_load at put: requests 128, sectors 1024, sectors_ideal 1024
// counts: global_store at take: requests 128, sectors 1024, sectors_ideal 1024
// One double of padding ends it: rows of 33 doubles move each lane on by two banks.
// trace 1: -D PAD=1
// counts 1: shared_store at put: requests 128, wavefronts 256, wavefronts_ideal 256
// counts 1: shared_load at take: requests 128, wavefronts 256, wavefronts_ideal 256
#ifndef PAD
#define PAD 0
#endif

__global__ void mirrored(const double* from, double* to, int width) {
  __shared__ double square[32][32 + PAD];
  const int column = threadIdx.x;
  for (int row = threadIdx.y; row < 32; row += 8)
    square[column][row] = -from[(blockIdx.y * 32 + row) * width + blockIdx.x * 32 + column];  //@put
  __syncthreads();
  for (int row = threadIdx.y; row < 32; row += 8)
    to[(blockIdx.x * 32 + row) * width + blockIdx.y * 32 + column] = square[row][column];  //@take
}
