// Squares through shared memory whose size the launch gives; the reads are a header's function's.
#include <cuda_fp16.h>
__global__ void square(const __half2* in, __half2* out) {
  extern __shared__ __half2 kept[];
  kept[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = __hmul2(kept[threadIdx.x], kept[threadIdx.x]);
}
