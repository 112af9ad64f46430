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

__global__ void reverse(const float* in, float* out, int n) {
  __shared__ float tile[128];
  const int t = threadIdx.x;
  const int first = blockIdx.x * 128;
  const int count = min(128, n - first);
  if (t < count) start_copy(&tile[t], &in[first + t]);
  commit_copies();
  wait_copies<0>();
  __syncthreads();
  if (t < count) out[first + t] = tile[count - 1 - t];
}
