// The template's number is chosen by an if on the variable that is the block's edge: both must agree,
// 32 and 32 x 32 here. Widths of a few elements would be as wrong.
// trace: --sample
// launch: kernel products<32>, block 32x32x1
template <int EDGE>
__global__ void products(float* out, float* left, float* right, int widthLeft, int widthRight) {
  __shared__ float lefts[EDGE][EDGE], rights[EDGE][EDGE];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = EDGE * blockIdx.y + y, column = EDGE * blockIdx.x + x;
  float sum = 0.0f;
  for (int first = 0; first < widthLeft; first += EDGE) {
    lefts[y][x] = left[row * widthLeft + first + x];
    rights[y][x] = right[(first + y) * widthRight + column];
    __syncthreads();
    for (int k = 0; k < EDGE; ++k) sum += lefts[y][k] * rights[k][x];
    __syncthreads();
  }
  out[row * widthRight + column] = sum;
}
int run(int edge, dim3 left_size, dim3 right_size) {
  float *left = nullptr, *right = nullptr, *out = nullptr;
  dim3 threads(edge, edge), blocks(right_size.x / threads.x, left_size.y / threads.y);
  if (edge == 16)
    products<16><<<blocks, threads>>>(out, left, right, left_size.x, right_size.x);
  else
    products<32><<<blocks, threads>>>(out, left, right, left_size.x, right_size.x);
  return 0;
}
int main() {
  int edge = 32;
  return run(edge, dim3(320, 320), dim3(640, 320));
}
