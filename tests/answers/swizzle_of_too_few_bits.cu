// A 32 x 32 tile that is written along rows and read down columns, its columns mixed with the lowest
// BITS bits of the row. Each bit doubles the banks that a column is spread over: 0 bits 32 wavefronts
// per load, 2 bits 8, 3 bits 4, all 5 bits 1. A row of 33 words takes 1, too. Rows that are written
// are permutations of 32 banks in every form: 1 wavefront.
// trace: --grid 1 --block 32,8 --arg f32[1024]=random:1 --arg f32[1024]=zero
// counts 0: shared_load at column: requests 32, wavefronts 1024, wavefronts_ideal 32
// counts 0: shared_store at row: requests 32, wavefronts 32, wavefronts_ideal 32
// trace 1: -D BITS=2
// counts 1: shared_load at column: requests 32, wavefronts 256, wavefronts_ideal 32
// counts 1: shared_store at row: requests 32, wavefronts 32, wavefronts_ideal 32
// trace 2: -D BITS=3
// counts 2: shared_load at column: requests 32, wavefronts 128, wavefronts_ideal 32
// trace 3: -D BITS=5
// counts 3: shared_load at column: requests 32, wavefronts 32, wavefronts_ideal 32
// counts 3: shared_store at row: requests 32, wavefronts 32, wavefronts_ideal 32
// trace 4: -D WIDTH=33
// counts 4: shared_load at column: requests 32, wavefronts 32, wavefronts_ideal 32
#ifndef BITS
#define BITS 0
#endif
#ifndef WIDTH
#define WIDTH 32
#endif

__device__ int place(int row, int column) {
  return row * WIDTH + (column ^ (row & ((1 << BITS) - 1)));
}

__global__ void squares_turned(const float* in, float* out) {
  __shared__ float cells[32 * WIDTH];
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8) {
    const float value = in[y * 32 + x];
    cells[place(y, x)] = value * value;  //@row
  }
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) out[y * 32 + x] = cells[place(x, y)];  //@column
}
