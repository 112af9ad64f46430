// No space between "C" and __global__: nvcc takes it, since __global__ is a macro there.
// trace: --sample
// launch: block 256x1x1
// wrong today: "expected an identifier": NVRTC reads "C"__global__ as a literal
extern "C"__global__
void lowered(float by, float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] -= by;
}
