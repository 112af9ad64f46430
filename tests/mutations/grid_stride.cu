// Vectors of four over a grid-stride loop with a ragged end, a sum per block, a maximum of all.
// trace: --grid 3 --block 96 --arg f32[1003]=random:1 --arg f32[1003]=zero --arg f32[3]=zero --arg i32[1]=zero --arg i32:1003
// mutant 1: out_of_bounds at vector,vector_store (the ragged end is taken for a vector)
// mutant 2: out_of_bounds at end,end_store (one beyond the end)
// mutant 3: misaligned at vector,vector_store (vectors begin at the second element)
// mutant 4: global_race at vector_store (blocks overlap by a vector that each scales by its own number)
// mutant 5: uninitialised at read_part (the third warp's sum is never written)
// mutant 6: shared_race at part,read_part (no barrier before the sums are read)
// mutant 7: global_race at most (compared and stored, not atomically)
// mutant 8: barrier at join (a shuffle names lanes that have left the loop)
// mutant 9: endless at loop (the step is 0 where the grid has one block a vector)
#ifndef MUTANT
#define MUTANT 0
#endif

__global__ void scale(const float* in, float* out, float* sums, int* most, int n) {
  __shared__ float part[3];
  const int t = threadIdx.x;
  const int vectors = n / 4;
#if MUTANT == 1
  const int last = vectors + 1;
#else
  const int last = vectors;
#endif
#if MUTANT == 4
  const int step = gridDim.x * blockDim.x, begin = blockIdx.x * (blockDim.x - 1) + t;
#elif MUTANT == 9
  const int step = gridDim.x / 4 * blockDim.x, begin = blockIdx.x * blockDim.x + t;
#else
  const int step = gridDim.x * blockDim.x, begin = blockIdx.x * blockDim.x + t;
#endif
#if MUTANT == 4
  const float scale_by = blockIdx.x;
#else
  const float scale_by = -1.0f;
#endif
#if MUTANT == 3
  constexpr int kShift = 1;
#else
  constexpr int kShift = 0;
#endif
  float sum = 0.0f;
  for (int i = begin; i < last; i += step) {                                    //@loop
    const float4 v = *reinterpret_cast<const float4*>(in + 4 * i + kShift);     //@vector
    *reinterpret_cast<float4*>(out + 4 * i + kShift) = {v.x, scale_by * v.y, v.z, -v.w};  //@vector_store
    sum += v.x + v.y + v.z + v.w;                                               //@loop
#if MUTANT == 8
    if (i % 96 > 40) break;
    sum += __shfl_xor_sync(0xffffffffu, sum, 1);  //@join
#endif
  }
#if MUTANT == 2
  const int end = n + 1;
#else
  const int end = n;
#endif
  if (blockIdx.x == 0 && 4 * vectors + t < end) {
    const float v = in[4 * vectors + t];  //@end
    out[4 * vectors + t] = v;             //@end_store
    sum += v;
  }
  for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);  //@join
#if MUTANT == 5
  if (t % 32 == 0 && t < 64) part[t / 32] = sum;  //@part
#else
  if (t % 32 == 0) part[t / 32] = sum;  //@part
#endif
#if MUTANT != 6
  __syncthreads();
#endif
  if (t == 0) {
    const float all = part[0] + part[1] + part[2];  //@read_part
    sums[blockIdx.x] = all;
    const int bits = __float_as_int(fabsf(all));
#if MUTANT == 7
    if (*most < bits) *most = bits;  //@most
#else
    atomicMax(most, bits);
#endif
  }
}
