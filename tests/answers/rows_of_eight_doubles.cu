// Small square matrices of doubles, SIDE x SIDE threads each. Lanes that read the same column of
// different rows are SIDE doubles apart. SIDE 8: a half-warp holds two rows of threads, and the
// neighbours in x read rows 64 B apart, 8 different doubles in bank pairs 0 and 8: a 4-way conflict,
// 8 wavefronts per load where 2 would do. SIDE 7 and 9 spread the rows over all banks: no conflict.
// Floats, SIDE 8: 8 words in banks 0, 8, 16, 24: a 2-way conflict, 2 wavefronts instead of 1.
// One double of padding per row ends it.
// trace: --grid 1 --arg f64[81]=random:1 --arg f64[81]=random:2 --arg f64[81]=zero
// trace 0: --block 8,8
// counts 0: shared_load at turned: requests 16, wavefronts 128, wavefronts_ideal 32
// trace 1: --block 7,7 -D SIDE=7
// counts 1: shared_load at turned: requests 14, wavefronts 28, wavefronts_ideal 28
// trace 2: --block 9,9 -D SIDE=9
// trace 3: --block 8,8 -D PAD=1
// counts 3: shared_load at turned: requests 16, wavefronts 32, wavefronts_ideal 32
#ifndef SIDE
#define SIDE 8
#endif
#ifndef PAD
#define PAD 0
#endif

__global__ void turned_product(const double* left, const double* right, double* out) {
  __shared__ double lefts[SIDE][SIDE + PAD], rights[SIDE][SIDE];
  const int x = threadIdx.x, y = threadIdx.y;
  lefts[y][x] = left[y * SIDE + x];
  rights[y][x] = right[y * SIDE + x];
  __syncthreads();
  double sum = 0.0;
#pragma unroll 1
  for (int k = 0; k < SIDE; ++k) {
    const double other = rights[y][k];
    sum += lefts[x][k] * other;  //@turned
  }
  out[y * SIDE + x] = sum;
}
