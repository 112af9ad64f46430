// The kernel's template takes a function: the one that the launch names, by way of a host template.
// trace: --sample
// launch: kernel mapped<square>, grid 256x1x1, block 128x1x1
using Map = float (*)(float);
__device__ float square(float x) { return x * x; }
template <Map map>
__global__ void mapped(float* values, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) values[i] = map(values[i]);
}
template <Map map>
void launch(float* values, int count) {
  mapped<map><<<count / 128, 128>>>(values, count);
}
int main() { launch<square>(nullptr, 1 << 15); }
