// Cooperative groups, and a kernel inside a namespace with an alias beside it.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include <cstdio>
#include <vector>

namespace cg = cooperative_groups;

namespace sums {
namespace detail {
__device__ float square(float x) { return x * x; }
}  // namespace detail

__global__ void sum_of_squares(const float* in, float* out, int n) {
  cg::thread_block block = cg::this_thread_block();
  cg::thread_block_tile<32> warp = cg::tiled_partition<32>(block);
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? detail::square(in[i]) : 0.0f;
  value = cg::reduce(warp, value, cg::plus<float>());
  if (warp.thread_rank() == 0) atomicAdd(out, value);
}
}  // namespace sums

using sums::sum_of_squares;

static std::vector<float> ones(int n) { return std::vector<float>(n, 1.0f); }

int main() {
  const auto host = ones(1000);
  float *in = nullptr, *out = nullptr;
  cudaMalloc(&in, host.size() * sizeof(float));
  cudaMalloc(&out, sizeof(float));
  sum_of_squares<<<4, 256>>>(in, out, 1000);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
