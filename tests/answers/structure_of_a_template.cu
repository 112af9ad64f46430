// A structure by value that is an instance of a template, with an array whose length is a number of it.
// Its pointer is a buffer, what bounds the index a size, and an offset 0.
// trace: --sample
// launch: view.data f32[1048576], view.count i32:1048576, view.first i32:0, scale f32:1
template <typename T, int Taps>
struct View {
  T* data;
  int count, first;
  T weights[Taps];
};
__global__ void scaled(const View<float, 3> view, float* out, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view.count) out[i] = view.data[view.first + i] * scale + view.weights[2];
}
