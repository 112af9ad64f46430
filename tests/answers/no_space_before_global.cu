// No space between "C" and __global__: nvcc takes it, since __global__ is a macro there.
// trace: --sample
// launch: block 256x1x1
extern "C"__global__
void lowered(float by, float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] -= by;
}
