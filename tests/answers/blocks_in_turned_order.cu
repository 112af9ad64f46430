// Blocks take the tiles down the columns of the grid or along its rows; threads do the same in both.
// Coalescing is the same, and no difference may be claimed: 168 floats are 5 whole requests of 4
// sectors and one of 8 lanes with 1 sector in each of 168 rows. What differs on a GPU is which
// blocks run together, in the L2 cache and DRAM.
// trace: --grid 6,6 --block 32,32 --arg f32[28224]=random:1 --arg i32:168
// counts: global_load at halve: requests 1008, sectors 3528, sectors_ideal 3528
// counts: global_store at halve: requests 1008, sectors 3528, sectors_ideal 3528
// trace 1: -D TURNED
// counts 1: global_load at halve: requests 1008, sectors 3528, sectors_ideal 3528
// counts 1: global_store at halve: requests 1008, sectors 3528, sectors_ideal 3528
__global__ void halve(float* image, int side) {
#ifdef TURNED
  const int tile_x = blockIdx.y, tile_y = blockIdx.x;
#else
  const int tile_x = blockIdx.x, tile_y = blockIdx.y;
#endif
  const int x = tile_x * 32 + threadIdx.x, y = tile_y * 32 + threadIdx.y;
  if (x < side && y < side) image[y * side + x] *= 0.5f;  //@halve
}
