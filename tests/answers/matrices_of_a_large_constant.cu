// The file allocates EDGE * EDGE elements with EDGE 6,144. Either the buffers follow, or the size is
// made smaller: nothing may be out of bounds.
// trace: --sample
// launch: block 16x16x1
const int EDGE = 6144;
__global__ void rows_by_columns(const float* left, const float* right, float* out, int edge) {
  const int x = threadIdx.x + blockDim.x * blockIdx.x, y = threadIdx.y + blockDim.y * blockIdx.y;
  if (x >= edge || y >= edge) return;
  float least = 1e30f;
  for (int k = 0; k < edge; ++k) least = fminf(least, left[y * edge + k] + right[k * edge + x]);
  out[y * edge + x] = least;
}
int main() {
  float *left, *right, *out;
  cudaMalloc(&left, EDGE * EDGE * sizeof(float));
  cudaMalloc(&right, EDGE * EDGE * sizeof(float));
  cudaMalloc(&out, EDGE * EDGE * sizeof(float));
  dim3 block(16, 16), grid(EDGE / 16, EDGE / 16);
  rows_by_columns<<<grid, block>>>(left, right, out, EDGE);
}
