// A number by value whose typedef is in a header that is not there. A guess that can be changed is
// better than no picture: 4 bytes, f32.
// trace: --sample
// launch: rate f32:1
#include "types_of_the_project.h"
__global__ void decayed(real_type rate, long count, real_type* values) {
  const long i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] *= rate;
}
