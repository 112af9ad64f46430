// Three sizes, of which the last has a name that tells nothing. It bounds a thread's index, so it is an
// extent as the others are, and not 1.
// trace: --sample
// launch: rows i32:1024, inner i32:1024, q i32:1024, grid 64x64x1
__global__ void nearest(float* left, float* right, float* out, int rows, int inner, int q) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows || column >= q) return;
  float least = 1e30f;
  for (int k = 0; k < inner; ++k) least = fminf(least, fabsf(left[row * inner + k] - right[k * q + column]));
  out[row * q + column] = least;
}
