#pragma once
#include "core/result.h"
#include "kernel/compile.h"
#include "kernel/instance.h"

namespace tilescope {

// Whether the compiled kernel takes the instance's launch, as far as its PTX says: the block that
// __launch_bounds__ or __block_size__ (.maxntid, .reqntid) allows, and each argument's size and
// kind. A driver refuses the one and misreads the other. How many arguments there are is not
// looked at. Errors (kUsage) name the file.
[[nodiscard]] Status check_launch_fit(const CompiledKernel& compiled,
                                      const KernelInstance& instance);

}  // namespace tilescope
