// Two arrays carved out of dynamic shared memory: rows of floats, padded by one, and doubles.
// trace: --grid 2 --block 32,8 --shared 6272 --arg f32[64x32]=iota --arg f64[512]=zero
// mutant 1: out_of_bounds at double_put (rows padded by two, and the launch asks for one)
// mutant 2: misaligned ... at double_put,double_get (the doubles begin behind an odd number of floats)
// mutant 3: shared_race ... at double_put,row_put,row_get (the doubles begin where the unpadded rows would end)
// mutant 4: uninitialised at row_get (a row is read by the padded pitch and written by the other)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void columns(const float* in, double* out) {
  extern __shared__ float space[];
#if MUTANT == 1
  const int pitch = 34;
#else
  const int pitch = 33;
#endif
  float* rows = space;
#if MUTANT == 1
  double* sums = reinterpret_cast<double*>(space + pitch * 32);
#elif MUTANT == 2
  double* sums = reinterpret_cast<double*>(space + 33 * 32 + 1);
#elif MUTANT == 3
  double* sums = reinterpret_cast<double*>(space + 32 * 32);
#else
  double* sums = reinterpret_cast<double*>(space + 33 * 32);
#endif
  const int x = threadIdx.x;
  for (int y = threadIdx.y; y < 32; y += 8) {
#if MUTANT == 4
    rows[y * 32 + x] = in[(blockIdx.x * 32 + y) * 32 + x];
#else
    rows[y * pitch + x] = in[(blockIdx.x * 32 + y) * 32 + x];  //@row_put
#endif
  }
#if MUTANT != 3
  __syncthreads();
#endif
  double sum = 0;
  for (int y = threadIdx.y; y < 32; y += 8) sum += rows[x * pitch + y];  //@row_get
  sums[threadIdx.y * 32 + x] = sum;  //@double_put
  __syncthreads();
  out[blockIdx.x * 256 + threadIdx.y * 32 + x] = sums[(7 - threadIdx.y) * 32 + x];  //@double_get
}
