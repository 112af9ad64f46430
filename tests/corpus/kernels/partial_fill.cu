extern "C" __global__ void z8(const float* in, float* out, int n) {
  __shared__ __align__(16) float s[256];
  int t = threadIdx.x;
  unsigned d = (unsigned)__cvta_generic_to_shared(&s[t * 2]);
  int left = n - t * 2;
  int b = left >= 2 ? 8 : left == 1 ? 4 : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8, %2;" ::"r"(d), "l"(in + t * 2), "r"(b));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[t * 2] = s[t * 2];
  out[t * 2 + 1] = s[t * 2 + 1];
}
extern "C" __global__ void z4(const char* in, float* out, int n) {
  __shared__ __align__(16) float s[256];
  int t = threadIdx.x;
  unsigned d = (unsigned)__cvta_generic_to_shared(&s[t]);
  int left = n - t * 4;
  int b = left >= 4 ? 4 : left > 0 ? left : 0;
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4, %2;" ::"r"(d), "l"(in + t * 4), "r"(b));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[t] = s[t];
}
