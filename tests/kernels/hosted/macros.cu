// Marks behind macros, kernels that a macro opens, line continuations, a switch over template values.
#include <iostream>
#include <tuple>

#ifdef __CUDACC__
#define DEVICE_HOST __host__ __device__ __forceinline__
#define KERNEL extern "C" __global__ void
#else
#define DEVICE_HOST inline
#define KERNEL void
#endif
#define CEIL_DIV(a, b) \
  (((a) + (b)-1) /     \
   (b))
#define RETURN_IF(condition) if (condition) return

constexpr int kBlock = 128;
const int kUnrolled = 4;

DEVICE_HOST float lerp(float a, float b, float t) { return a + t * (b - a); }

constexpr int rounded(int n) { return CEIL_DIV(n, kUnrolled) * kUnrolled; }

KERNEL
blend(const float* a, const float* b, float* out, float t, int n) {
  const int i = (blockIdx.x * kBlock + threadIdx.x) * kUnrolled;
#pragma unroll
  for (int j = 0; j < rounded(kUnrolled); ++j) {
    RETURN_IF(i + j >= n);
    out[i + j] = lerp(a[i + j], b[i + j], t);
  }
}

#define LAUNCH(n) blend<<<CEIL_DIV(n, kBlock * kUnrolled), kBlock>>>(nullptr, nullptr, nullptr, 0.5f, n)

std::tuple<int, int> grid_of(int n) { return {CEIL_DIV(n, kBlock), kBlock}; }

int main() {
  for (int n : {1, 10, 100}) {
    LAUNCH(n);
    const auto [blocks, threads] = grid_of(n);
    std::cout << blocks << 'x' << threads << '\'' << "\"\n";
  }
}
