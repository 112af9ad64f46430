// A number's type that a macro chooses, which the file does not define: the other branch counts.
// trace: --sample
// launch: factor f32:1, values f32[1048576]
#ifdef IN_DOUBLE
typedef double number;
#else
typedef float number;
#endif
__global__ void grown(number* values, number factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}
