// The first kernel of the file only clears a word; the one that does most is shown, and the other is a
// choice away.
// trace: --sample
// launch: kernel halved, grid 2048x1x1, block 512x1x1
__global__ void cleared(int* word) {
  if (threadIdx.x == 0) *word = 0;
}
__global__ void halved(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= 0.5f;
}
int main() {
  int* word = nullptr;
  float* values = nullptr;
  cleared<<<1, 1024>>>(word);
  halved<<<2048, 512>>>(values, 1 << 20);
}
