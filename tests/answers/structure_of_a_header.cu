// A structure by value that the file's own header declares is taken apart as one of the file itself.
// trace: --sample
// launch: mesh.corners i32[1048576]
#include "structure_of_a_header.h"
__global__ void spans(Mesh mesh, int* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < mesh.count) out[i] = mesh.corners[i] - mesh.start;
}
