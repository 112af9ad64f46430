#pragma once

#include <stop_token>
#include <string>

#include "core/result.h"
#include "kernel/compile/compile.h"

namespace tilescope {

// PTX that a person hands in, passed through: its target, and the kernel that is meant; with a
// cubin where one is asked for and ptxas makes one, else with the reason. Errors (kUsage, kKernel)
// where it is no PTX or has no such kernel; kCancelled.
[[nodiscard]] Result<CompiledKernel> open_ptx(const CompileRequest& request,
                                              const std::stop_token& stop);
// The same for PTX of the request's CUDA file that was made elsewhere.
[[nodiscard]] Result<CompiledKernel> open_ptx(std::string ptx, const CompileRequest& request,
                                              const std::stop_token& stop);

}  // namespace tilescope
