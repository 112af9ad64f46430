#pragma once
#include <optional>
#include <stop_token>

#include "emulator/device_memory.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// How far a launch's result is from a CPU reference in double precision.
struct Verification {
  double max_error = 0;  // largest |got - want|; NaN when the result holds one
  double tolerance = 0;
  [[nodiscard]] bool ok() const { return max_error <= tolerance; }  // false for NaN
};

// Compares what the kernel wrote in `after` with what the problem makes of `before`, on the host.
// nullopt: the instance is no catalogue problem, its reference is a kernel, or it was stopped.
[[nodiscard]] std::optional<Verification> verify_result(const KernelInstance& instance,
                                                        const DeviceMemory& before,
                                                        const DeviceMemory& after,
                                                        std::stop_token stop);

}  // namespace tilescope
