// The header is in ../include, where the project's build looks for it.
// trace: --sample
// launch: block 32x1x1
#include "lanes.h"
__global__ void __launch_bounds__(LANES) negated(float* values, int count) {
  const int i = blockIdx.x * LANES + threadIdx.x;
  if (i < count) values[i] = -values[i];
}
