// The kernel adds up what many blocks have left, and asserts that it is a single one.
// trace: --sample
// launch: grid 1x1x1
#include <cassert>

__global__ void total(const float* parts, float* sum, int count) {
  assert(gridDim.x == 1);
  float mine = 0.0f;
  for (int i = threadIdx.x; i < count; i += blockDim.x) mine += parts[i];
  atomicAdd(sum, mine);
}
