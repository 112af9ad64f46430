// CUDA's own headers mark structures with macros of theirs, and so do files that follow them.
// trace: --grid 1 --block 32 --arg u32[32]=zero
namespace own {
struct __device_builtin__ __builtin_align__(8) pair {
  float first, second;
};
}  // namespace own
__global__ void words(unsigned* out) {
  constexpr unsigned words = sizeof(own::pair) / sizeof(float) + alignof(own::pair);
  out[threadIdx.x] = words;
}
