#pragma once
#include <memory>
#include <string>

#include "analysis/kernel_study.h"
#include "kernel/catalogue.h"

namespace tilescope {

// A catalogue kernel compiled and emulated as the program does it, for the block (3, 2) or the
// nearest that the grid has. nullptr with the reason in `*why` where this machine has no NVRTC.
[[nodiscard]] std::shared_ptr<const KernelStudy> catalogue_study(const std::string& id,
                                                                 const ParameterSet& parameters,
                                                                 const ParameterSet& extents,
                                                                 std::string* why);

}  // namespace tilescope
