// printf and assert on the device, <cstdio> of the host, C-style includes, old-style code.
#include <assert.h>
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>

#ifndef N
#define N 64
#endif

typedef struct timeval Moment;
double seconds() {
  Moment now;
  gettimeofday(&now, NULL);
  return now.tv_sec + 1e-6 * now.tv_usec;
}

__device__ __constant__ float coefficients[3] = {0.5f, (float)M_PI, FLT_MAX};

__global__ void report(const int32_t *values, int64_t *out) {
  assert(threadIdx.x < INT_MAX);
  if (threadIdx.x == 0) {
    printf("block %d: %f\n", blockIdx.x, (double)coefficients[1]);
  }
  out[threadIdx.x] = (int64_t)values[threadIdx.x] * (int64_t)fabsf(coefficients[0]);
}

#if defined(_WIN32)
int main(void) {
  return 1;
}
#else
int main(void) {
  double start = seconds();
#pragma omp parallel for
  for (int i = 0; i < N; i++) {
#ifdef VERBOSE
    printf("%d\n", i);
#endif
  }
  report<<<1, N>>>(NULL, NULL);
  cudaDeviceSynchronize();
  printf("%g s\n", seconds() - start);
  return 0;
}
#endif
