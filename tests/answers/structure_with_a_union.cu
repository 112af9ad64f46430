// A structure by value with a union in it: its text is not laid out here, but the compiled kernel says
// where the members lie that are read.
// trace: --sample
// launch: view+0 f32[1048576], view+8 i32:1048576, view+12 i32:0, scale f32:1
struct View {
  union {
    float* data;
    unsigned long long address;
  };
  int count, first;
};
__global__ void scaled(const View view, float* out, float scale) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < view.count) out[i] = view.data[view.first + i] * scale;
}
