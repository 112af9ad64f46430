// The launch leaves the type to the compiler: it is that of the pointer, double.
// trace: --sample
// launch: kernel clamped<double>, block 128x1x1, grid 4096x1x1, out f64[1048576]
template <class Number>
__global__ void clamped(const Number* in, Number* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = in[i] < Number(0) ? Number(0) : in[i];
}
int main() {
  double *in = nullptr, *out = nullptr;
  int count = 4096 * 128;
  clamped<<<count / 128, 128>>>(in, out, count);
}
