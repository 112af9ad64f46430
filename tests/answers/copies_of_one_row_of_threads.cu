// Only the first row of threads copies the weights with cp.async. Each thread waits for its own copies
// alone, and only after the barrier: the other rows read weights that may not have arrived. A barrier
// does not wait for copies; their thread has to wait before it.
// trace: --shared 512 --arg f32[192]=random:1 --arg f32[32]=random:2 --arg f32[192]=zero
// trace 0: --grid 2 --block 32,3
// trace 1: --grid 2 --block 32,3 -D NO_WAIT
// mutant 1: shared_race at use (the copies are waited for after the barrier)
// says 1: with no barrier between that thread's wait for the copy and this read
// With one row of threads nothing is wrong: each reads what it has copied and waited for itself.
// trace 2: --grid 6 --block 32 -D NO_WAIT
__device__ void copy4(float* to, const float* from) {
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(
                   static_cast<unsigned>(__cvta_generic_to_shared(to))),
               "l"(from)
               : "memory");
}
__device__ void wait_for_copies() { asm volatile("cp.async.wait_all;" ::: "memory"); }

__global__ void weighted(const float* rows, const float* weights, float* out) {
  extern __shared__ float space[];
  float* weight = space;
  float* row = space + 32 + threadIdx.y * 32;
  const int x = threadIdx.x;
  if (threadIdx.y == 0) copy4(weight + x, weights + x);
#ifndef NO_WAIT
  wait_for_copies();
#endif
  __syncthreads();
  const int i = (blockIdx.x * blockDim.y + threadIdx.y) * 32 + x;
  copy4(row + x, rows + i);
  wait_for_copies();
  out[i] = row[x] - weight[x];  //@use
}
