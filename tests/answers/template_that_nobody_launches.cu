// A tiled product whose launch is in another file. Its template's numbers have usual values, chosen so
// that the loads fill the tiles: one thread per element of the left tile, ROWS * DEPTH, and of the
// right one, COLUMNS * DEPTH. The grid counts tiles, not rows. Then nothing is out of bounds.
// trace: --sample
template <const int ROWS, const int COLUMNS, const int DEPTH, const int EACH>
__global__ void product(int M, int N, int K, const float* A, const float* B, float* C) {
  __shared__ float left[ROWS * DEPTH];
  __shared__ float right[DEPTH * COLUMNS];
  const int t = threadIdx.x, column = t % COLUMNS, row = t / COLUMNS;
  const float* a = A + blockIdx.y * ROWS * K;
  const float* b = B + blockIdx.x * COLUMNS;
  float sums[EACH] = {0.0f};
  for (int first = 0; first < K; first += DEPTH) {
    left[t] = a[t / DEPTH * K + first + t % DEPTH];
    right[t] = b[(first + t / COLUMNS) * N + t % COLUMNS];
    __syncthreads();
    for (int k = 0; k < DEPTH; ++k) {
      const float other = right[k * COLUMNS + column];
      for (int i = 0; i < EACH; ++i) sums[i] += left[(row * EACH + i) * DEPTH + k] * other;
    }
    __syncthreads();
  }
  float* c = C + (blockIdx.y * ROWS + row * EACH) * N + blockIdx.x * COLUMNS + column;
  for (int i = 0; i < EACH; ++i) c[i * N] = sums[i];
}
