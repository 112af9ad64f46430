// Each lane copies SIZE bytes, or fills SIZE bytes with zeros, at lane * stride of shared memory.
template <int SIZE>
__global__ void fill(const char* in, float* out, unsigned copies, int stride, int spread) {
  extern __shared__ __align__(128) char held[];
  const int lane = threadIdx.x;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(held + lane * stride));
  const char* from = in + lane * SIZE * spread;
  const int bytes = copies >> lane & 1 ? SIZE : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(from), "n"(SIZE),
               "r"(bytes));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[lane] = *reinterpret_cast<float*>(held + lane * stride);
}
__global__ void fill_cg(const char* in, float* out, unsigned copies, int stride, int spread) {
  extern __shared__ __align__(128) char held[];
  const int lane = threadIdx.x;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(held + lane * stride));
  const char* from = in + lane * 16 * spread;
  const int bytes = copies >> lane & 1 ? 16 : 0;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(to), "l"(from), "r"(bytes));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[lane] = *reinterpret_cast<float*>(held + lane * stride);
}
// Copies `bytes` of SIZE.
template <int SIZE>
__global__ void part(const char* in, float* out, unsigned parts, int stride, int bytes) {
  extern __shared__ __align__(128) char held[];
  const int lane = threadIdx.x;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(held + lane * stride));
  const int size = parts >> lane & 1 ? bytes : SIZE;
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2, %3;" ::"r"(to), "l"(in + lane * SIZE),
               "n"(SIZE), "r"(size));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[lane] = *reinterpret_cast<float*>(held + lane * stride);
}
