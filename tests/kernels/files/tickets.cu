// What atomics return: a place for each value above zero, and counts that nobody reads back.
__global__ void compact(const float* in, float* out, unsigned* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) out[atomicAdd(count, 1u)] = in[i];
}

__global__ void count_above(const float* in, unsigned* count, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) atomicAdd(count, 1u);
}

// The last block adds up what the others left: one block does, whichever it is.
__global__ void last_block(const float* in, float* part, unsigned* done, float* sum) {
  part[blockIdx.x * blockDim.x + threadIdx.x] = 2 * in[blockIdx.x * blockDim.x + threadIdx.x];
  __threadfence();
  __shared__ unsigned before;
  __syncthreads();
  if (threadIdx.x == 0) before = atomicAdd(done, 1u);
  __syncthreads();
  if (before + 1 != gridDim.x) return;
  __threadfence();
  float mine = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x * blockDim.x; i += blockDim.x) mine += 
      __ldcg(&part[i]);
  sum[threadIdx.x] = mine;
}
