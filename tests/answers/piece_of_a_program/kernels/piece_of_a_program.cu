// A file that another one includes, and that uses a type and a constant of it without including
// anything itself. The launch is in the other file too.
// trace: --sample
// launch: values f64[1048576], block 64x1x1
__global__ void halved(real* values, int count) {
  const int i = blockIdx.x * WIDTH + threadIdx.x;
  if (i < count) values[i] *= real(0.5);
}
