// A pointer to structures that a header of CUDA declares, 64 B each: the buffer is as long as the
// threads need, and nothing is out of bounds.
// trace: --sample
// launch: seed u64:1
#include <curand_kernel.h>
__global__ void seeded(curandStatePhilox4_32_10_t* states, unsigned long long seed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  curand_init(seed, i, 0, &states[i]);
}
