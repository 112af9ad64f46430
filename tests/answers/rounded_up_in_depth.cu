// Kernels of another language through macros. Sizes are rounded up in all three dimensions; x and y
// are checked, z is not: 5 layers in work items of 2 leave a sixth, which the last blocks read (its
// scale) and write (its plane) past the ends. The lines are those of the text, not of the macros.
// trace: --grid 2,2,3 --block 8,8 --arg f32[100]=random:1 --arg f32[5]=random:2 --arg f32[500]=zero
// trace 0: --arg i32:10 --arg i32:5
// trace 1: --arg i32:10 --arg i32:5 -D NO_DEPTH
// mutant 1: out_of_bounds at scale,plane (layer 5 of 0 to 4)
// says 1: reads scales[5], 1 past its end
// says 1: writes planes
#define KERNEL extern "C" __global__
#define ID(d) \
  (static_cast<int>((d) == 0 ? blockIdx.x * blockDim.x + threadIdx.x \
                             : (d) == 1 ? blockIdx.y * blockDim.y + threadIdx.y : blockIdx.z))
#define LAYERS_EACH 2

KERNEL void scaled(const float* image, const float* scales, float* planes, int side, int layers) {
  const int x = ID(0), y = ID(1), first = ID(2) * LAYERS_EACH;
  if (x >= side || y >= side) return;
#pragma unroll 1
  for (int layer = first; layer < first + LAYERS_EACH; ++layer) {
#ifndef NO_DEPTH
    if (layer >= layers) break;
#endif
    const float scale = scales[layer];  //@scale
    planes[(layer * side + y) * side + x] = image[y * side + x] * scale;  //@plane
  }
}
