// Each block adds its sum to a total, calls __threadfence() and divides by the total. A fence orders
// one thread's own writes; it waits for no other block, so the total may lack the other blocks' sums.
// Two mistakes: other blocks may add later, and in a block only thread 0 knows that its own sum is in.
// trace: --block 64 --arg f32[256]=random:1 --arg f32[256]=zero --arg f32[1]=zero
// trace 0: --grid 4
// mutant 0: global_race at divide,add (nothing orders the blocks' additions before the reads)
// One block alone is still wrong: no barrier lies between thread 0's addition and the others' reads.
// trace 1: --grid 1
// mutant 1: global_race at divide,add (nothing orders thread 0's addition before the other threads)
__global__ void shares(const float* in, float* out, float* total) {
  __shared__ float parts[2];
  const int t = threadIdx.x, i = blockIdx.x * 64 + t;
  const float own = fabsf(in[i]);
  float sum = own;
  for (int d = 16; d > 0; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
  if (t % 32 == 0) parts[t / 32] = sum;
  __syncthreads();
  if (t == 0) atomicAdd(total, parts[0] + parts[1]);  //@add
  __threadfence();
  out[i] = own / *total;  //@divide
}
