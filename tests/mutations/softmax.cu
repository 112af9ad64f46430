// Softmax of each row: maximum and sum by shuffles, then over the warps through shared memory.
// trace: --grid 3 --block 128 --arg f32[900]=random:6 --arg f32[900]=zero --arg i32:300
// mutant 1: shared_race at read_max (no barrier after the warps' maxima are written)
// mutant 2: shared_race at write_sum (the array is used again without a barrier)
// mutant 3: uninitialised at read_max (32 warps are taken to be there)
// mutant 4: barrier at shuffle (only half of the lanes shuffle with a full mask)
// mutant 5: out_of_bounds ... at store (rows are longer than they are)
// mutant 6: shared_race at total,read_total (one thread writes the total, nobody waits for it)
// mutant 7: out_of_bounds at write_max (indexed by thread, not by warp)
#ifndef MUTANT
#define MUTANT 0
#endif
#define FULL 0xffffffffu

__device__ float warp_max(float value) {
  for (int o = 16; o > 0; o /= 2) value = fmaxf(value, __shfl_xor_sync(FULL, value, o));
  return value;
}
__device__ float warp_sum(float value) {
  for (int o = 16; o > 0; o /= 2) value += __shfl_down_sync(FULL, value, o);
  return value;
}

__global__ void softmax(const float* in, float* out, int cols) {
  __shared__ float part[4];
  __shared__ float total;
  const int t = threadIdx.x;
  const int lane = t % 32;
  const int warp = t / 32;
  const float* row = in + blockIdx.x * cols;
  float best = -1e30f;
  for (int i = t; i < cols; i += blockDim.x) best = fmaxf(best, row[i]);
#if MUTANT == 4
  if (lane < 16) best = fmaxf(best, __shfl_xor_sync(FULL, best, 8));  //@shuffle
#endif
  best = warp_max(best);
#if MUTANT == 7
  part[t] = best;  //@write_max
#else
  if (lane == 0) part[warp] = best;  //@write_max
#endif
#if MUTANT != 1
  __syncthreads();
#endif
#if MUTANT == 3
  for (int w = 0; w < 5; ++w) best = fmaxf(best, w < 4 ? part[w] : total);  //@read_max
#else
  for (int w = 0; w < 4; ++w) best = fmaxf(best, part[w]);  //@read_max
#endif
#if MUTANT != 2
  __syncthreads();
#endif
  float sum = 0.0f;
  for (int i = t; i < cols; i += blockDim.x) sum += __expf(row[i] - best);
  sum = warp_sum(sum);
  if (lane == 0) part[warp] = sum;  //@write_sum
  __syncthreads();
  if (t == 0) total = part[0] + part[1] + part[2] + part[3];  //@total
#if MUTANT != 6
  __syncthreads();
#endif
#if MUTANT == 5
  for (int i = t; i < cols + 128; i += blockDim.x)
#else
  for (int i = t; i < cols; i += blockDim.x)
#endif
  {
    float scale = total;  //@read_total
    out[blockIdx.x * cols + i] = (i < cols ? __expf(row[i] - best) : 0.0f) / scale;  //@store
  }
}
