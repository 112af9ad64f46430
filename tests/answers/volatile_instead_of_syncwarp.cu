// The last 64 values are folded by one warp with a volatile pointer and no __syncwarp(), as before
// Volta, when a warp's lanes ran in step. They need not any more: lanes of one warp race. The fixed
// form reads into a register and puts __syncwarp() between reads and writes.
// trace: --grid 2 --block 128 --shared 512 --arg i32[512]=random:1 --arg i32[2]=zero
// trace 1: -D IN_STEP
// mutant 1: shared_race at first,second,last (volatile orders nothing between lanes)
__device__ void fold(volatile int* values, int t) {
#ifdef IN_STEP
  values[t] = max(values[t], values[t + 32]);  //@first
  values[t] = max(values[t], values[t + 16]);  //@second
  values[t] = max(values[t], values[t + 8]);
  values[t] = max(values[t], values[t + 4]);
  values[t] = max(values[t], values[t + 2]);
  values[t] = max(values[t], values[t + 1]);  //@last
#else
  int most = values[t];
  for (int d = 32; d > 0; d /= 2) {
    most = max(most, values[t + d]);
    __syncwarp();
    values[t] = most;
    __syncwarp();
  }
#endif
}

__global__ void largest_of_rows(const int* in, int* out) {
  extern __shared__ int values[];
  const int t = threadIdx.x;
  values[t] = max(in[blockIdx.x * 256 + t], in[blockIdx.x * 256 + 128 + t]);
  __syncthreads();
  if (t < 64) values[t] = max(values[t], values[t + 64]);
  __syncthreads();
  if (t < 32) fold(values, t);
  if (t == 0) out[blockIdx.x] = values[0];
}
