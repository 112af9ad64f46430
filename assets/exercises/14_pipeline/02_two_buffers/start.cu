// Starts a copy of 4 bytes from global to shared memory, past the registers.
__device__ void start_copy(float* to, const float* from) {
  const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(to));
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(address), "l"(from) : "memory");
}
// What was started since the last commit is one group.
__device__ void commit_copies() { asm volatile("cp.async.commit_group;" ::: "memory"); }
// Waits until at most kLeft groups of this thread are under way.
template <int kLeft>
__device__ void wait_copies() {
  asm volatile("cp.async.wait_group %0;" ::"n"(kLeft) : "memory");
}

// Thread t of a block adds up the numbers of its mirror image, row by row. n is a multiple of 128.
__global__ void add_mirrored(const float* in, float* out, int steps, int n) {
  __shared__ float tile[2][128];
  const int t = threadIdx.x;
  const int first = blockIdx.x * 128;
  start_copy(&tile[0][t], &in[first + t]);
  commit_copies();
  float sum = 0;
  for (int step = 0; step < steps; ++step) {
    if (step + 1 < steps) start_copy(&tile[(step + 1) % 2][t], &in[(step + 1) * n + first + t]);
    commit_copies();
    wait_copies<0>();
    __syncthreads();
    sum += tile[step % 2][127 - t];
  }
  out[first + t] = sum;
}
