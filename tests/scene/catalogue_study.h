#pragma once
#include <memory>
#include <string>

#include "analysis/study/kernel_study.h"
#include "kernel/catalogue/catalogue.h"
#include "scene/view/view.h"

namespace tilescope {

// A catalogue kernel compiled and emulated as the program does it, for the block (3, 2) or the
// nearest that the grid has, with its registers, its occupancy on an H200 and the pipeline of its
// PTX. nullptr with the reason in `*why` where this machine has no NVRTC.
[[nodiscard]] std::shared_ptr<const KernelStudy> catalogue_study(const std::string& id,
                                                                 const ParameterSet& parameters,
                                                                 const ParameterSet& extents,
                                                                 std::string* why);

// A context of this study with all that a view may ask for: prepared, the table of devices, the
// kernel's entry, its other layouts of shared memory.
[[nodiscard]] ViewContext catalogue_context(const KernelStudy& study);

}  // namespace tilescope
