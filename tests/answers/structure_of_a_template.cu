// A structure by value that is an instance of a template: its text does not say where its members lie,
// the compiled kernel does. Its pointer is a buffer, what bounds the index a size, and an offset 0.
// trace: --sample
// launch: view+0 f32[1048576], view+8 i32:1048576, view+12 i32:0, scale f32:1
template <typename T>
struct View {
  T* data;
  int count, first;
};
__global__ void scaled(const View<float> view, float* out, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view.count) out[i] = view.data[view.first + i] * scale;
}
