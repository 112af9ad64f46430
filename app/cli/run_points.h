#pragma once
#include <vector>

#include "cli/kernel_arguments.h"
#include "core/result.h"
#include "kernel/instance.h"

namespace tilescope {

// What `tilescope run` was asked for: one point or several.
struct RunPoints {
  std::vector<KernelInstance> instances;
  std::vector<Error> skipped;  // points whose parameters break a rule, where there are others
  bool single = true;          // one was asked for
};

// In place of a kernel: every one of the catalogue.
inline constexpr const char* kAllKernels = "*";

// Expands what names several: -p NAME=V1,V2, --size S1,S2, a family ("gemm") in place of a kernel,
// and with `each_value` every value that a slider offers, one parameter at a time, at the first
// size. Fails when no point is legal, with the first point's error.
[[nodiscard]] Result<RunPoints> expand_points(const KernelArguments& arguments, bool each_value,
                                              int* compute_capability);

}  // namespace tilescope
