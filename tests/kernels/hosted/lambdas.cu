// Lambdas in main, std::min in a kernel, shared memory sized at launch, several kernels.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

using std::size_t;
using std::vector;

__global__ void clamp_all(float* values, size_t n, float least, float most) {
  const size_t i = blockIdx.x * static_cast<size_t>(blockDim.x) + threadIdx.x;
  if (i < n) values[i] = std::min(std::max(values[i], least), most);
}

__global__ void smooth(const float* in, float* out, int n) {
  extern __shared__ float window[];
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  window[threadIdx.x] = i < n ? std::sqrt(in[i]) : 0.0f;
  __syncthreads();
  const int left = std::max(static_cast<int>(threadIdx.x) - 1, 0);
  if (i < n) out[i] = 0.5f * (window[left] + window[threadIdx.x]);
}

static std::mt19937 generator(42);

int main() {
  vector<float> values(1000);
  std::generate(values.begin(), values.end(), [] { return std::generate_canonical<float, 24>(generator); });
  const auto total = [&values]() -> double {
    struct Local {
      double sum = 0;
      void operator()(float x) { sum += x; }
    };
    return std::for_each(values.begin(), values.end(), Local{}).sum;
  };
  std::array<std::thread, 2> threads;
  for (auto& thread : threads) {
    thread = std::thread([&] { (void)total(); });
  }
  for (auto& thread : threads) thread.join();
  clamp_all<<<4, 256>>>(nullptr, values.size(), -1.0f, 1.0f);
  smooth<<<4, 256, 256 * sizeof(float)>>>(nullptr, nullptr, 1000);
}
