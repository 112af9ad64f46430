#pragma once
#include <cuda.h>

#include <string>
#include <string_view>

#include "core/result.h"
#include "core/shared_library.h"

namespace tilescope {

// The functions of the driver API that the worker calls. cuda.h renames some (cuMemAlloc is
// cuMemAlloc_v2); member, call and symbol are renamed alike.
#define TILESCOPE_DRIVER_FUNCTIONS(X)            \
  X(cuInit)                                      \
  X(cuDriverGetVersion)                          \
  X(cuGetErrorName)                              \
  X(cuGetErrorString)                            \
  X(cuDeviceGet)                                 \
  X(cuDeviceGetCount)                            \
  X(cuDeviceGetName)                             \
  X(cuDeviceGetAttribute)                        \
  X(cuDeviceGetPCIBusId)                         \
  X(cuDeviceGetUuid)                             \
  X(cuDeviceTotalMem)                            \
  X(cuDevicePrimaryCtxRetain)                    \
  X(cuDevicePrimaryCtxRelease)                   \
  X(cuCtxSetCurrent)                             \
  X(cuCtxSynchronize)                            \
  X(cuStreamCreate)                              \
  X(cuStreamDestroy)                             \
  X(cuStreamSynchronize)                         \
  X(cuEventCreate)                               \
  X(cuEventDestroy)                              \
  X(cuEventRecord)                               \
  X(cuEventSynchronize)                          \
  X(cuEventElapsedTime)                          \
  X(cuMemAlloc)                                  \
  X(cuMemFree)                                   \
  X(cuMemGetInfo)                                \
  X(cuMemcpyHtoD)                                \
  X(cuMemcpyDtoH)                                \
  X(cuMemcpyDtoDAsync)                           \
  X(cuMemsetD8Async)                             \
  X(cuModuleLoadDataEx)                          \
  X(cuModuleUnload)                              \
  X(cuModuleGetFunction)                         \
  X(cuModuleGetGlobal)                           \
  X(cuFuncGetAttribute)                          \
  X(cuFuncSetAttribute)                          \
  X(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  X(cuLaunchKernel)

// libcuda.so.1, loaded and initialised; every call goes through check().
class CudaDriver {
 public:
  [[nodiscard]] static Result<CudaDriver> load();

  // NOLINTBEGIN(readability-identifier-naming,bugprone-macro-parentheses): the driver's own names
#define TILESCOPE_MEMBER(name) decltype(&::name) name = nullptr;
  TILESCOPE_DRIVER_FUNCTIONS(TILESCOPE_MEMBER)
#undef TILESCOPE_MEMBER
  decltype(&::cuFuncGetParamInfo) cuFuncGetParamInfo = nullptr;  // absent before driver 12.4
  // NOLINTEND(readability-identifier-naming,bugprone-macro-parentheses)

  // ok, or "cannot WHAT: the driver's words (CUDA_ERROR_...)", code kMachine.
  [[nodiscard]] Status check(CUresult result, std::string_view what) const;

 private:
  explicit CudaDriver(SharedLibrary library) : library_(std::move(library)) {}
  SharedLibrary library_;
};

// How a launch that went wrong is told to a person: what the kernel did, or nullptr when the error
// is not the kernel's doing. All of these leave the context dead.
[[nodiscard]] const char* fault_in_words(CUresult result);

}  // namespace tilescope
