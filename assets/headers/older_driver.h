// What CUDA's driver library had before version 13, for programs that were written for it.
#ifndef TILESCOPE_OLDER_DRIVER
#define TILESCOPE_OLDER_DRIVER
#include <cuda.h>
#if defined(__cplusplus) && CUDA_VERSION >= 13000
#undef cuCtxCreate
static inline CUresult cuCtxCreate(CUcontext* context, unsigned flags, CUdevice device) {
  return cuCtxCreate_v4(context, nullptr, flags, device);
}
static inline CUresult cuCtxCreate(CUcontext* context, CUctxCreateParams* parameters,
                                   unsigned flags, CUdevice device) {
  return cuCtxCreate_v4(context, parameters, flags, device);
}
#endif
#endif
