#pragma once
#include <memory>

#include "analysis/kernel_study.h"
#include "cli/resources.h"
#include "scene/view.h"

namespace tilescope {

// What a view draws from, computed here and now on all processors: the same as the window knows of
// a variant in the end. Each gives a new study and shares the rest with the old one.

// Adds to a traced study what this view needs beside it: registers for tiling, where they are
// known; registers, counts of the machine code and, for the pipeline, its model, for those that
// speak of time.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> study_for_view(
    std::shared_ptr<const KernelStudy> study, View view, const DeviceModel& device);

// Adds what a page says beside a traced study: counts of the machine code, where they can be had.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> study_for_page(
    std::shared_ptr<const KernelStudy> study, const DeviceModel& device);

// Counts every block instead of a sample: as written, and as issued where that was counted before.
[[nodiscard]] Result<std::shared_ptr<const KernelStudy>> with_whole_grid(
    std::shared_ptr<const KernelStudy> study);

// The same kernel at every other value of STAGES for the pipeline view, of PAD and SWIZZLE for the
// banks view; nothing for the others. `study` is that of context->entry; nothing where that is
// null.
[[nodiscard]] Status add_alternatives(View view, const KernelStudy& study,
                                      const DeviceModel& device, ViewContext* context);

}  // namespace tilescope
