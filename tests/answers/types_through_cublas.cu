// The 16-bit type comes with cuBLAS's header, which includes that of the type.
// trace: --sample
// launch: grid 2048x1x1, block 512x1x1, count i32:1048576, to f16[1048576]
#include <cublas_v2.h>
typedef __half Number;
__global__ void cubes(Number* to, const Number* from, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = i < count ? static_cast<float>(from[i]) : 0.0f;
  if (i < count) to[i] = static_cast<Number>(x * x * x);
}
int main() {
  Number *a = nullptr, *b = nullptr;
  cubes<<<2048, 512>>>(a, b, 1 << 20);
}
