// A constant of math.h beside a header that is not there: the constant is known, and the missing header
// holds nothing that the kernel uses.
// trace: --sample
// launch: block 256x1x1, count i32:1048576
#include <extension/of/a/framework.h>
#include <math.h>
__global__ void error_function_slope(float* in, float* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = static_cast<float>(M_2_SQRTPI * M_LOG2E) * expf(-in[i] * in[i]);
}
