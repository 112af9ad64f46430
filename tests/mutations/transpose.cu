// Transpose of a rows x cols matrix through a shared tile, ragged edges included.
// trace: --grid 3,2 --block 32,8 --arg f32[3500]=random:1 --arg f32[3500]=zero --arg i32:50 --arg i32:70
// mutant 1: shared_race at get (the barrier is missing)
// mutant 2: out_of_bounds ... at get (one column past the tile)
// mutant 3: out_of_bounds at write (no guard at the edge)
// mutant 4: uninitialised at get (the guard of the load is off by one)
// mutant 5: global_race at write (wrong leading dimension of the result)
// mutant 6: barrier at sync (the barrier stands in the guarded branch)
#ifndef MUTANT
#define MUTANT 0
#endif
#define TILE 32

__global__ void transpose(const float* in, float* out, int rows, int cols) {
  __shared__ float tile[TILE][TILE + 1];
  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += 8) {
#if MUTANT == 4
    if (x < cols - 1 && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
#else
    if (x < cols && y + j < rows) tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * cols + x];
#endif
  }
#if MUTANT == 6
  if (x < cols) __syncthreads();  //@sync
#elif MUTANT != 1
  __syncthreads();
#endif
  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += 8) {
#if MUTANT == 3
    if (y + j < cols + 10) {
#else
    if (x < rows && y + j < cols) {
#endif
#if MUTANT == 2
      float value = tile[threadIdx.x + 1][threadIdx.y + j];  //@get
#elif MUTANT == 3
      float value = in[0];
#else
      float value = tile[threadIdx.x][threadIdx.y + j];  //@get
#endif
#if MUTANT == 5
      out[(y + j) * (rows - 3) + x] = value;  //@write
#else
      out[(y + j) * rows + x] = value;  //@write
#endif
    }
  }
}
