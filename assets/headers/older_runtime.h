// What CUDA's runtime library had before version 13, for programs that were written for it: members
// of cudaDeviceProp, and functions that named a device by its number.
#ifndef TILESCOPE_OLDER_RUNTIME
#define TILESCOPE_OLDER_RUNTIME
#include <cuda_runtime.h>
#if defined(__cplusplus) && CUDART_VERSION >= 13000
struct tilescope_device_properties : cudaDeviceProp {
  int clockRate, memoryClockRate, deviceOverlap, kernelExecTimeoutEnabled, computeMode,
      singleToDoublePrecisionPerfRatio, cooperativeMultiDeviceLaunch;
};
static inline cudaError_t cudaGetDeviceProperties(tilescope_device_properties* properties,
                                                  int device) {
  const cudaError_t error =
      cudaGetDeviceProperties(static_cast<cudaDeviceProp*>(properties), device);
  if (error != cudaSuccess) return error;
  cudaDeviceGetAttribute(&properties->clockRate, cudaDevAttrClockRate, device);
  cudaDeviceGetAttribute(&properties->memoryClockRate, cudaDevAttrMemoryClockRate, device);
  cudaDeviceGetAttribute(&properties->deviceOverlap, cudaDevAttrGpuOverlap, device);
  cudaDeviceGetAttribute(&properties->kernelExecTimeoutEnabled, cudaDevAttrKernelExecTimeout,
                         device);
  cudaDeviceGetAttribute(&properties->computeMode, cudaDevAttrComputeMode, device);
  cudaDeviceGetAttribute(&properties->singleToDoublePrecisionPerfRatio,
                         cudaDevAttrSingleToDoublePrecisionPerfRatio, device);
  properties->cooperativeMultiDeviceLaunch = 0;
  return cudaSuccess;
}
static inline cudaMemLocation tilescope_place(int device) {
  cudaMemLocation place = {};
  place.type = device == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
  place.id = device == cudaCpuDeviceId ? 0 : device;
  return place;
}
static inline cudaError_t cudaMemPrefetchAsync(const void* begin, size_t bytes, int device,
                                               cudaStream_t stream = 0) {
  return cudaMemPrefetchAsync(begin, bytes, tilescope_place(device), 0, stream);
}
static inline cudaError_t cudaMemAdvise(const void* begin, size_t bytes, cudaMemoryAdvise advice,
                                        int device) {
  return cudaMemAdvise(begin, bytes, advice, tilescope_place(device));
}
static inline cudaError_t cudaThreadSynchronize() { return cudaDeviceSynchronize(); }
static inline cudaError_t cudaThreadExit() { return cudaDeviceReset(); }
#define cudaDeviceProp tilescope_device_properties
#endif
#endif
