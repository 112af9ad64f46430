// A product whose depth is split over blocks; warps take columns; sums by atomics, then a threshold.
// trace: --grid 2,2,2 --block 16,8 --arg f32[1024]=random:1 --arg f32[1024]=random:2 --arg f32[1024]=zero --arg i32:32 --arg i32[1]=zero
// mutant 1: global_race at add (blocks of other slices add without an atomic)
// mutant 2: shared_race at bring,product (no barrier after the tiles are brought)
// mutant 3: shared_race at bring,product (no barrier before they are brought anew)
// mutant 4: uninitialised at product (half of the tile of B is brought)
// mutant 5: out_of_bounds at bring (the slice is twice as deep as it is)
// mutant 6: endless at outer (the tile's offset is reset in the loop)
// mutant 7: endless at wait_flag (waits for a flag that nobody sets)
// mutant 8: out_of_bounds at bring,product (16 x 17 is taken for 17 x 16)
// mutant 9: global_race at count (every block's first thread counts up without an atomic)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void multiply(const float* a, const float* b, float* c, int n, int* done) {
#if MUTANT == 8
  __shared__ float as[17 * 8], bs[8 * 16];
#else
  __shared__ float as[16 * 17], bs[8 * 16];
#endif
  const int x = threadIdx.x, y = threadIdx.y, t = y * 16 + x;
  const int row0 = blockIdx.y * 16, col = blockIdx.x * 16 + x;
#if MUTANT == 5
  const int depth = n;
#else
  const int depth = n / 2;
#endif
  const int begin = blockIdx.z * (n / 2);
  float sum[2] = {0.0f, 0.0f};
  for (int k = begin; k < begin + depth; k += 8) {             //@outer
    as[t / 8 * 17 + t % 8] = a[(row0 + t / 8) * n + k + t % 8];  //@bring
#if MUTANT == 4
    if (y < 4)
#endif
      bs[y * 16 + x] = b[(k + y) * n + col];  //@bring
#if MUTANT != 2
    __syncthreads();
#endif
    for (int i = 0; i < 8; ++i) {
      sum[0] += as[y * 17 + i] * bs[i * 16 + x];        //@product
      sum[1] += as[(y + 8) * 17 + i] * bs[i * 16 + x];  //@product
    }
#if MUTANT != 3
    __syncthreads();
#endif
#if MUTANT == 6
    if (sum[0] < 1e30f) k = begin;  //@outer
#endif
  }
#if MUTANT == 7
  while (*(volatile int*)done == 0) {  //@wait_flag
  }
#endif
  for (int r = 0; r < 2; ++r) {
#if MUTANT == 1
    c[(row0 + y + 8 * r) * n + col] += sum[r];  //@add
#else
    atomicAdd(&c[(row0 + y + 8 * r) * n + col], sum[r]);  //@add
#endif
  }
  if (t == 0) {
#if MUTANT == 9
    *done += 1;  //@count
#else
    atomicAdd(done, 1);
#endif
  }
}
