// mma.h fragments, an anonymous namespace, a std::array parameter that only the full headers know.
#include <mma.h>

#include <array>
#include <cstdio>

using namespace nvcuda;

namespace {

constexpr int kSize = 16;

struct Strides {
  std::array<int, 3> of;
};

__global__ void multiply(const half* a, const half* b, float* c, Strides strides) {
  wmma::fragment<wmma::matrix_a, kSize, kSize, kSize, half, wmma::row_major> a_fragment;
  wmma::fragment<wmma::matrix_b, kSize, kSize, kSize, half, wmma::row_major> b_fragment;
  wmma::fragment<wmma::accumulator, kSize, kSize, kSize, float> sum;
  wmma::fill_fragment(sum, 0.0f);
  wmma::load_matrix_sync(a_fragment, a, strides.of[0]);
  wmma::load_matrix_sync(b_fragment, b, strides.of[1]);
  wmma::mma_sync(sum, a_fragment, b_fragment, sum);
  wmma::store_matrix_sync(c, sum, strides.of[2], wmma::mem_row_major);
}

}  // namespace

int main() {
  multiply<<<1, 32>>>(nullptr, nullptr, nullptr, Strides{{{16, 16, 16}}});
  std::printf("done\n");
}
