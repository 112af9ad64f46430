// Pointers without const. What the kernel only loads is an input: its numbers differ, so that not all
// threads queue for one counter.
// trace: --sample
// launch: keys ramp, counts zero
__global__ void counted(int* keys, int* counts, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(&counts[keys[i] & 127], 1);
}
