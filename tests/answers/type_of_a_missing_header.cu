// The first parameter of a template points to a type whose header is not there. The program says which
// name is unknown, where, and which header was not found; it does not end by a signal.
// refused: type_of_a_missing_header.cu:6
// refused: line 8 does not compile: identifier "Weight" is undefined
// refused: not_with_this_file.h
#include "not_with_this_file.h"
template <int kShare>
__global__ void decay(Weight* weights, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) weights[i] = weights[i] - weights[i] / kShare;
}
int main() {
  Weight* weights = nullptr;
  decay<8><<<64, 128>>>(weights, 8192);
}
