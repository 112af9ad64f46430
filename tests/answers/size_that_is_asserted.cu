// The tiles of a product are dealt out to blocks that stay, and the kernel asserts that eight rows of tiles come out
// even: the sizes shrink no further than that, and only the sum's length goes on.
// trace: --sample
// launch: n i32:2048
#include <cassert>

constexpr int kTile = 256;

__global__ void __launch_bounds__(256) products(int n, int k, const float* a, const float* b, float* c) {
  assert(n / kTile % 8 == 0);
  const int tiles = n / kTile;
  for (int tile = blockIdx.x; tile < tiles * tiles; tile += gridDim.x) {
    const int row = tile / tiles * kTile + threadIdx.x;
    for (int column = tile % tiles * kTile; column < (tile % tiles + 1) * kTile; ++column) {
      float sum = 0.0f;
      for (int i = 0; i < k; ++i) sum += a[i * n + row] * b[i * n + column];
      c[column * n + row] = sum;
    }
  }
}

void product(const float* a, const float* b, float* c) {
  const int n = 8192, k = 8192;
  products<<<132, 256>>>(n, k, a, b, c);
}
