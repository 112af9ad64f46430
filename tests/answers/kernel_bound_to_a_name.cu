// The kernel is bound to a name first, and the launch uses the name: strided<32,16>, block 64.
// trace: --sample
// launch: kernel strided<32,16>, block 64x1x1
template <int WIDTH, int FACTOR>
__global__ void strided(const float* in, float* out, int count) {
  const int i = blockIdx.x * WIDTH + threadIdx.x % WIDTH;
  if (i < count) out[i] = in[i] * FACTOR;
}
void launch(const float* in, float* out, int count) {
  constexpr int WIDTH = 32, FACTOR = 16;
  auto kernel = strided<WIDTH, FACTOR>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 32768);
  kernel<<<count / WIDTH, 64>>>(in, out, count);
}
