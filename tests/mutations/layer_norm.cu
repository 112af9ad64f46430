// Layer norm of two rows a block: sums by shuffles, then through shared memory, rows kept there.
// trace: --grid 3 --block 64,2 --shared 2048 --arg f32[1500]=random:1 --arg f32[250]=random:2 --arg f32[1500]=zero --arg i32:250
// mutant 1: shared_race at part,read_part (no barrier after the warps' sums)
// mutant 2: shared_race at part,read_part (the sums' places are used again at once)
// mutant 3: out_of_bounds at keep,use (both rows are kept a row too far)
// mutant 4: uninitialised at use (the second half of the row was never kept)
// mutant 5: shared_race at keep,use (both rows are kept in one place)
// mutant 6: barrier ... at wait (only the first row's threads come to the barrier)
// mutant 7: out_of_bounds at weigh (weights are read by the row's place in the matrix)
// mutant 8: barrier at sum (lanes outside the row do not shuffle)
// mutant 9: misaligned ... at keep (a row of 250 floats as float4)
#ifndef MUTANT
#define MUTANT 0
#endif

__device__ float row_sum(float v, float (*part)[2]) {
#if MUTANT == 8
  if (threadIdx.x < 58)
#endif
    for (int o = 16; o > 0; o /= 2) v += __shfl_xor_sync(~0u, v, o);  //@sum
  if (threadIdx.x % 32 == 0) part[threadIdx.y][threadIdx.x / 32] = v;  //@part
#if MUTANT == 6
  if (threadIdx.y == 0) __syncthreads();  //@wait
#elif MUTANT != 1
  __syncthreads();  //@wait
#endif
  const float all = part[threadIdx.y][0] + part[threadIdx.y][1];  //@read_part
#if MUTANT != 2
  __syncthreads();
#endif
  return all;
}

__global__ void layer_norm(const float* in, const float* weight, float* out, int cols) {
  extern __shared__ float kept[];
  __shared__ float part[2][2];
  const int row = blockIdx.x * 2 + threadIdx.y;
#if MUTANT == 3
  float* const mine = kept + (threadIdx.y + 1) * 256;
#elif MUTANT == 5
  float* const mine = kept;
#else
  float* const mine = kept + threadIdx.y * 256;
#endif
  float sum = 0.0f;
#if MUTANT == 4
  for (int i = threadIdx.x; i < cols / 2; i += 64) {
#else
  for (int i = threadIdx.x; i < cols; i += 64) {
#endif
#if MUTANT == 9
    const float4 four = *reinterpret_cast<const float4*>(in + row * cols + i / 4 * 4);  //@keep
    const float v = i % 4 == 0 ? four.x : i % 4 == 1 ? four.y : i % 4 == 2 ? four.z : four.w;
#else
    const float v = in[row * cols + i];
#endif
    mine[i] = v;  //@keep
    sum += v;
  }
  const float mean = row_sum(sum, part) / cols;
  float squares = 0.0f;
  for (int i = threadIdx.x; i < cols; i += 64) {
    const float d = mine[i] - mean;  //@use
    squares += d * d;
  }
  const float inverse = rsqrtf(row_sum(squares, part) / cols + 1e-5f);
  for (int i = threadIdx.x; i < cols; i += 64) {
#if MUTANT == 7
    const float by = weight[row * cols + i];  //@weigh
#else
    const float by = weight[i];  //@weigh
#endif
    out[row * cols + i] = (mine[i] - mean) * inverse * by;  //@use
  }
}
