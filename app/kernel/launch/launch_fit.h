#pragma once

#include <string>
#include <string_view>

#include "core/result.h"
#include "kernel/launch/instance.h"

namespace tilescope {

// Whether a compiled kernel takes the instance's launch, as far as its PTX says: the block that
// __launch_bounds__ or __block_size__ (.maxntid, .reqntid) allows, and each argument's size and
// kind. A driver refuses the one and misreads the other. How many arguments there are is not
// looked at. `entry`: its (mangled) name there. Errors (kUsage) name the file.
[[nodiscard]] Status check_launch_fit(std::string_view ptx, const std::string& entry,
                                      const KernelInstance& instance);

}  // namespace tilescope
