// What HIP adds to CUDA C++, so that a HIP source compiles as a CUDA one. A warp has 32 lanes here,
// also where a wavefront of AMD's has 64; __ballot() gives 64 bits, as HIP has it.
#pragma once
#include <hip/hip_runtime_api.h>

#define __HIP_PLATFORM_NVIDIA__ 1
#define HIP_KERNEL_NAME(...) __VA_ARGS__
#define HIP_SYMBOL(name) name
#define HIP_DYNAMIC_SHARED(type, name) extern __shared__ type name[];

#define hipThreadIdx_x threadIdx.x
#define hipThreadIdx_y threadIdx.y
#define hipThreadIdx_z threadIdx.z
#define hipBlockIdx_x blockIdx.x
#define hipBlockIdx_y blockIdx.y
#define hipBlockIdx_z blockIdx.z
#define hipBlockDim_x blockDim.x
#define hipBlockDim_y blockDim.y
#define hipBlockDim_z blockDim.z
#define hipGridDim_x gridDim.x
#define hipGridDim_y gridDim.y
#define hipGridDim_z gridDim.z

#define hipLaunchKernelGGL(kernel, grid, block, shared, stream, ...) \
  kernel<<<(grid), (block), (shared), (stream)>>>(__VA_ARGS__)

#include <old_warp_functions.h>
#undef __ballot
#undef __lane_id
__device__ inline unsigned long long tilescope_ballot(int holds) {
  return __ballot_sync(__activemask(), holds);
}
__device__ inline unsigned tilescope_lane() {
  unsigned lane;
  asm("mov.u32 %0, %%laneid;" : "=r"(lane));
  return lane;
}
#define __ballot tilescope_ballot
#define __lane_id tilescope_lane

template <class T>
__device__ T unsafeAtomicAdd(T* address, T value) {
  return atomicAdd(address, value);
}
template <class T>
__device__ T atomicAddNoRet(T* address, T value) {
  return atomicAdd(address, value);
}
