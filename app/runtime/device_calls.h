#pragma once
#include <cstddef>

#include "runtime/cuda_abi.h"

namespace tilescope::runtime {

// Of the one device, as the runtime library and the driver library tell it.
inline constexpr char kDeviceUuid[] = "tilescope device";  // 16 bytes
inline constexpr char kDeviceBus[] = "0000:01:00.0";
inline constexpr int kGreatestPriority = -5;  // of a stream

// `attribute`: a cudaDeviceAttr; CUdevice_attribute has the same numbers.
Error device_attribute(int* value, int attribute);
// `limit`: a cudaLimit; CUlimit has the same numbers.
[[nodiscard]] std::size_t device_limit(int limit);
// "out of memory"; nullptr: there is no such error.
[[nodiscard]] const char* error_text(Error error);

}  // namespace tilescope::runtime
