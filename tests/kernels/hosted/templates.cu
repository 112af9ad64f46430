// A reduction as a template, type traits on the device, host launchers that are templates too.
#include <cstdint>
#include <functional>
#include <iostream>
#include <limits>
#include <memory>
#include <type_traits>

template <typename T>
using host_array = std::unique_ptr<T[]>;

template <typename T>
struct Maximum {
  static_assert(std::is_arithmetic<T>::value, "numbers only");
  __device__ static T identity() { return std::numeric_limits<T>::lowest(); }
  __device__ T operator()(T a, T b) const { return a < b ? b : a; }
};

template <typename T, int kThreads, template <typename> class Operation>
__global__ void reduce(const T* __restrict__ in, T* __restrict__ out, std::uint32_t count) {
  static_assert((kThreads & (kThreads - 1)) == 0, "a power of two");
  __shared__ T partial[kThreads];
  const Operation<T> operation;
  T value = Operation<T>::identity();
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < count; i += gridDim.x * kThreads) {
    value = operation(value, in[i]);
  }
  partial[threadIdx.x] = value;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half >>= 1) {
    if (threadIdx.x < half) {
      partial[threadIdx.x] = operation(partial[threadIdx.x], partial[threadIdx.x + half]);
    }
    __syncthreads();
  }
  if (threadIdx.x == 0) out[blockIdx.x] = partial[0];
}

template <typename T>
T reduce_on_host(const host_array<T>& values, std::size_t count, std::function<T(T, T)> operation) {
  T result = values[0];
  for (std::size_t i = 1; i < count; ++i) result = operation(result, values[i]);
  return result;
}

template <typename T>
void launch(const T* in, T* out, std::uint32_t count) {
  reduce<T, 256, Maximum><<<128, 256>>>(in, out, count);
}

int main() {
  host_array<float> values(new float[16]{});
  std::cout << reduce_on_host<float>(values, 16, [](float a, float b) { return a > b ? a : b; });
  launch<float>(nullptr, nullptr, 0);
}
