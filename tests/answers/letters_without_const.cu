// The same where the kernel only reads what it might write.
// trace: --sample
// launch: text 97 + random % 26
__global__ void count_letters(char* text, int* counts, int n) {
  __shared__ int own[26];
  if (threadIdx.x < 26) own[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&own[text[i] - 'a'], 1);
  __syncthreads();
  if (threadIdx.x < 26) atomicAdd(&counts[threadIdx.x], own[threadIdx.x]);
}
