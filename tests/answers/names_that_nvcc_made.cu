// A file that takes nvcc, with a template whose arguments are constants of the host: rounds<8,4>.
// trace: --sample
// launch: kernel rounds<8,4>, block 64x1x1
#include <thrust/functional.h>
template <const int WIDTH, const int EACH>
__global__ void rounds(float* values, int count) {
  const int i = blockIdx.x * WIDTH * EACH + threadIdx.x;
  if (i < count) values[i] = thrust::maximum<float>()(values[i], 0.0f);
}
void run(float* values, int count) {
  const int WIDTH = 8;
  const int EACH = 4;
  rounds<WIDTH, EACH><<<count / 32, 64>>>(values, count);
}
