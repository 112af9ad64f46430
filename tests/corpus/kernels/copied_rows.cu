// Each lane copies SIZE bytes; `across` lanes lie side by side in global memory, then comes the
// next row.
template <int SIZE>
__global__ void rows(const char* in, float* out, int across, int pitch, int offset, int stride) {
  extern __shared__ __align__(128) char held[];
  const int lane = threadIdx.x;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(held + lane * stride));
  const char* from = in + lane / across * pitch + lane % across * SIZE + offset;
  asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(SIZE));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[lane] = *reinterpret_cast<float*>(held + lane * stride);
}
// The same as the second access to the same lines.
template <int SIZE>
__global__ void again(const char* in, float* out, int across, int pitch, int offset, int stride) {
  extern __shared__ __align__(128) char held[];
  const int lane = threadIdx.x;
  const unsigned to = static_cast<unsigned>(__cvta_generic_to_shared(held + lane * stride));
  const char* from = in + lane / across * pitch + lane % across * SIZE + offset;
  float sum = 0;
  for (int i = 0; i < 3; ++i) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(to), "l"(from), "n"(SIZE));
    asm volatile("cp.async.wait_all;" ::: "memory");
    __syncthreads();
    sum += *reinterpret_cast<float*>(held + lane * stride);
    __syncthreads();
  }
  out[lane] = sum;
}
