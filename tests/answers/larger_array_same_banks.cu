// 16-bit elements: a warp stores 32 neighbours, 64 B in 16 banks, two lanes to a word: 1 wavefront and
// no conflict. An array that is larger than the tile in it moves no address: the counts are the same,
// only the shared memory of a block differs (512 B or 8 KiB), and with it the occupancy.
// trace: --grid 2 --block 128 --arg u16[512]=iota --arg u16[512]=zero
// counts 0: static_shared_bytes 512
// counts 0: shared_store at put: requests 16, wavefronts 16, wavefronts_ideal 16
// counts 0: shared_load at take: requests 16, wavefronts 16, wavefronts_ideal 16
// trace 1: -D TIMES=16
// counts 1: static_shared_bytes 8192
// counts 1: shared_store at put: requests 16, wavefronts 16, wavefronts_ideal 16
// counts 1: shared_load at take: requests 16, wavefronts 16, wavefronts_ideal 16
#ifndef TIMES
#define TIMES 1
#endif

__global__ void swapped_halves(const unsigned short* in, unsigned short* out) {
  __shared__ unsigned short tile[8 * 32 * TIMES];
  const int row = threadIdx.x / 32, column = threadIdx.x % 32, first = blockIdx.x * 256;
  for (int half = 0; half < 2; ++half)
    tile[(row + 4 * half) * 32 + column] = in[first + (row + 4 * half) * 32 + column];  //@put
  __syncthreads();
  for (int half = 0; half < 2; ++half)
    out[first + (row + 4 * half) * 32 + column] = tile[(row + 4 - 4 * half) * 32 + column];  //@take
}
