// Copies four floats at a time, the rest one by one, with a grid-stride loop.
// trace: --grid 2 --block 64 --arg f32[1027]=random:1 --arg f32[1027]=zero --arg i32:1027
// mutant 1: misaligned at wide (the source begins one float late)
// mutant 2: out_of_bounds at wide (rounded up instead of down)
// mutant 3: out_of_bounds at rest (one element too many)
// mutant 4: endless at loop,wide (the loop does not move on)
// mutant 5: global_race at wide (the stride is that of one block only, and values are counted)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void copy4(const float* in, float* out, int n) {
  const int first = blockIdx.x * blockDim.x + threadIdx.x;
#if MUTANT == 5
  const int stride = blockDim.x;
#elif MUTANT == 4
  const int stride = n < 0 ? 1 : 0;
#else
  const int stride = gridDim.x * blockDim.x;
#endif
#if MUTANT == 2
  for (int i = first; i < (n + 3) / 4; i += stride) {
#else
  for (int i = first; i < n / 4; i += stride) {  //@loop
#endif
#if MUTANT == 1
    reinterpret_cast<float4*>(out)[i] = *reinterpret_cast<const float4*>(&in[4 * i + 1]);  //@wide
#elif MUTANT == 5
    float4 value = reinterpret_cast<const float4*>(in)[i];
    value.x += blockIdx.x;
    reinterpret_cast<float4*>(out)[i] = value;  //@wide
#else
    reinterpret_cast<float4*>(out)[i] = reinterpret_cast<const float4*>(in)[i];  //@wide
#endif
  }
#if MUTANT == 3
  for (int i = n / 4 * 4 + first; i <= n; i += 4096) out[i] = in[i];  //@rest
#else
  for (int i = n / 4 * 4 + first; i < n; i += 4096) out[i] = in[i];  //@rest
#endif
}
