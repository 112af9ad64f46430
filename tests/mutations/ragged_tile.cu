// A tiled product whose last tiles skip loads: warps then make different numbers of accesses.
// trace: --grid 3,3 --block 16,16 --arg f32[1600]=random:1 --arg f32[1600]=random:2 --arg f32[1600]=zero --arg i32:40
// mutant 1: shared_race at read (no barrier before the tile is read)
// mutant 2: shared_race at fill (no barrier before it is filled again)
// says 1: put __syncthreads() between the write and this read
// says 2: put __syncthreads() between the read and this write
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void product(const float* a, const float* b, float* c, int n) {
  __shared__ float a_tile[16][16];
  __shared__ float b_tile[16][16];
  const int tx = threadIdx.x;
  const int ty = threadIdx.y;
  const int row = blockIdx.y * 16 + ty;
  const int col = blockIdx.x * 16 + tx;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 16) {
    a_tile[ty][tx] = row < n && k0 + tx < n ? a[row * n + k0 + tx] : 0.0f;  //@fill
    b_tile[ty][tx] = k0 + ty < n && col < n ? b[(k0 + ty) * n + col] : 0.0f;  //@fill
#if MUTANT != 1
    __syncthreads();
#endif
    for (int k = 0; k < 16; ++k) sum += a_tile[ty][k] * b_tile[k][tx];  //@read
#if MUTANT != 2
    __syncthreads();
#endif
  }
  if (row < n && col < n) c[row * n + col] = sum;
}
