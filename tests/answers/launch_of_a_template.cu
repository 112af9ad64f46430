// Nothing is said of the launch, and the kernel is a template: trace guesses both.
// trace: --sample
// launch: kernel raised<3>, grid 2048x1x1, block 512x1x1
template <int POWER>
__global__ void raised(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = 1.0f;
  for (int k = 0; k < POWER; ++k) value *= i < count ? values[i] : 0.0f;
  if (i < count) values[i] = value;
}
int main() {
  float* values = nullptr;
  raised<3><<<2048, 512>>>(values, 1 << 20);
}
