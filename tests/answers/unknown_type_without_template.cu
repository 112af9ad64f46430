// The type of a parameter comes from a header that is not there: the name and the header are said.
// refused: "Station" is undefined
// refused: railway/station.hpp
#include <railway/station.hpp>

__global__ void delays(Station* stations, int* out, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) out[i] = stations[i].delay;
}
