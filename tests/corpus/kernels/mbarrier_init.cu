#include <cuda/barrier>
using barrier = cuda::barrier<cuda::thread_scope_block>;
#pragma nv_diag_suppress static_var_with_dynamic_init
#define S32(p) static_cast<unsigned>(__cvta_generic_to_shared(p))
template <int V>
__global__ void v(const int* in, int* out, int n) {
  __shared__ barrier bar;
  __shared__ int tile[192];
  bool first = V & 1 ? (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x == 0
                     : threadIdx.x == 0;
  unsigned count = V & 2 ? blockDim.x * blockDim.y * blockDim.z : blockDim.x;
  if (first) init(&bar, count);
  __syncthreads();
  int i = threadIdx.x;
  if (i < n)
    cuda::memcpy_async(&tile[threadIdx.x], in + i, sizeof(int), bar);
  else
    tile[threadIdx.x] = 0;
  bar.arrive_and_wait();
  if (i < n) out[i] = tile[threadIdx.x];
}
// by hand, without libcu++; else-branch by V
template <int V>
__global__ void h(const int* in, int* out, int n) {
  __shared__ __align__(8) unsigned long long bar;
  __shared__ int tile[192];
  unsigned count = V & 2 ? blockDim.x * blockDim.y * blockDim.z : blockDim.x;
  bool first = V & 1 ? (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x == 0
                     : threadIdx.x == 0;
  if (first)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(S32(&bar)), "r"(count) : "memory");
  __syncthreads();
  int i = threadIdx.x;
  if (i < n) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4, 4;" ::"r"(S32(&tile[i])), "l"(in + i)
                 : "memory");
    asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(S32(&bar)) : "memory");
  } else if (V & 4)
    tile[i] = 0;
  unsigned long long st;
  asm volatile("mbarrier.arrive.shared::cta.b64 %0, [%1], %2;"
               : "=l"(st)
               : "r"(S32(&bar)), "r"(1u)
               : "memory");
  int done = 0;
  do {
    asm volatile(
        "{\n.reg .pred p;\nmbarrier.try_wait.shared::cta.b64 p, [%1], %2;\nselp.b32 %0,1,0,p;\n}"
        : "=r"(done)
        : "r"(S32(&bar)), "l"(st)
        : "memory");
  } while (!done);
  if (i < n) out[i] = tile[i];
}
