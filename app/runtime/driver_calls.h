#pragma once
#include <cstddef>
#include <cstdint>

#include "runtime/cuda_abi.h"

// CUDA's driver library. Its functions are defined in the stand-in for the runtime library, so that
// a program may use both; libcuda.so.1 (libraries/cuda_driver.cpp) and cudaGetDriverEntryPoint hand
// them out. driver_calls.cpp has devices and contexts, driver_module_calls.cpp modules, the linker
// and launches, driver_memory_calls.cpp memory, streams and events, virtual_memory_calls.cpp memory
// that is mapped to reserved addresses. A CUresult has cudaError_t's number.
namespace tilescope::runtime::driver {

using DeviceAddress = unsigned long long;  // CUdeviceptr

struct DriverLaunch {  // CUlaunchConfig
  unsigned grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  unsigned shared_bytes = 0;
  void* stream = nullptr;
  LaunchAttribute* attributes = nullptr;
  unsigned attribute_count = 0;
};
static_assert(sizeof(DriverLaunch) == 56);

enum class DriverMemory : int { kHost = 1, kDevice, kArray, kUnified };  // CUmemorytype
struct DriverPlace2 {                                                    // half of CUDA_MEMCPY2D
  std::size_t x = 0, y = 0;                                              // bytes, rows
  DriverMemory kind = DriverMemory::kHost;
  void* host = nullptr;
  DeviceAddress device = 0;
  void* array = nullptr;
  std::size_t pitch = 0;
};
struct DriverCopy2 {
  DriverPlace2 from, to;
  std::size_t width = 0, height = 0;
};
static_assert(sizeof(DriverCopy2) == 128);

#define DRIVER_CALL(name, parameters, arguments) Error name parameters;
#include "runtime/driver_calls.inc"
#undef DRIVER_CALL

// By the name that cuda.h or a program gives it: "cuMemAlloc" is cuMemAlloc_v2. nullptr: none.
[[nodiscard]] void* entry_point(const char* name);

// The end of every call: an error that a kernel left behind, else this one, which is told to
// tilescope.
Error told(Error error, const char* name);

}  // namespace tilescope::runtime::driver
