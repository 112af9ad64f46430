#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace tilescope {

// CUDA's device runtime, which kernels call: launches of other kernels and what belongs to them. A
// launch is only noted (execution/device_work.h): who emulates the parent executes it afterwards.

// The function that PTX names "__cudaCDP2LaunchDeviceV2" or, before CUDA 12, "cudaLaunchDeviceV2",
// as MicroOp::bytes of Operation::kDeviceRuntime. nullopt: there is no such function, or it takes
// another number of arguments.
[[nodiscard]] std::optional<std::uint8_t> device_runtime_function(std::string_view name,
                                                                  unsigned arguments);

}  // namespace tilescope
