// A matrix times a vector: each element of the vector is read by all 256 rows, whatever the length of
// the buffer behind it. Only 512 of its elements are touched.
// trace: --grid 64 --block 32,4 --arg f32[256x512]=random:1 --arg f32[65536]=random:2 --arg f32[256]=zero --arg i32:256 --arg i32:512
// shows: tiling --whole-grid: x 256 ×
__global__ void times_vector(const float* table, const float* x, float* y, int rows, int columns) {
  const int lane = threadIdx.x, row = blockIdx.x * blockDim.y + threadIdx.y;
  if (row >= rows) return;
  float sum = 0.0f;
  for (int k = lane; k < columns; k += 32) sum += table[row * columns + k] * x[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (lane == 0) y[row] = sum;
}
