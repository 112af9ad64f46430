#pragma once
#include <string>

#include "analysis/kernel_study.h"
#include "core/device_table.h"
#include "core/result.h"
#include "kernel/instance.h"
#include "session/document.h"

namespace tilescope {

// What a variant's document asks to be compiled and launched. An edited text of the catalogue goes
// by a name of its own, so that nothing measured of it is taken for the catalogue's.
[[nodiscard]] Result<KernelInstance> instance_of(const VariantDocument& variant,
                                                 const Catalogue& catalogue,
                                                 const DeviceModel& device);

[[nodiscard]] std::string edited_id(const std::string& kernel);  // "gemm/naive (edited)"

// Block, warp and moments that this launch or its trace does not have go to its last; true: some
// did.
bool keep_inside(const KernelStudy& study, Selection* selection, TimeMarks* marks);

}  // namespace tilescope
