#pragma once
#include "core/result.h"
#include "kernel/compile.h"

namespace tilescope {

// PTX that a person hands in, passed through: its target, and the kernel that is meant. Errors
// (kUsage, kKernel) where it is no PTX or has no such kernel.
[[nodiscard]] Result<CompiledKernel> open_ptx(const KernelInstance& instance);

}  // namespace tilescope
