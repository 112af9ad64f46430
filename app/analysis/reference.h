#pragma once
#include <optional>
#include <stop_token>

#include "core/result.h"
#include "emulator/device_memory.h"
#include "kernel/instance.h"

namespace tilescope {

// How far a launch's result is from a CPU reference in double precision.
struct Verification {
  double max_error = 0;  // largest |got - want|; NaN when the result holds one
  double tolerance = 0;
  [[nodiscard]] bool ok() const { return max_error <= tolerance; }  // false for NaN
};

// Largest error that rounding explains. GEMM: 4 u K with u = 2^-24 and operands in [-1, 1): the
// expected error of a K-long float sum grows as u K / 3 at worst alignment of signs (Higham,
// Accuracy and Stability of Numerical Algorithms, 2nd ed., section 4.2); the other problems: 0.
[[nodiscard]] double result_tolerance(const KernelInstance& instance);

// Compares what the kernel wrote in `after` with what the problem makes of `before`.
// nullopt: the instance is no catalogue problem, or the reference was stopped.
[[nodiscard]] std::optional<Verification> verify_result(const KernelInstance& instance,
                                                        const DeviceMemory& before,
                                                        const DeviceMemory& after,
                                                        std::stop_token stop);

}  // namespace tilescope
