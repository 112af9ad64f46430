#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "cli/command.h"
#include "cli/kernel_arguments.h"
#include "scene/compare/compared.h"
#include "scene/view/view.h"
#include "session/known_measurements.h"
#include "session/readings.h"

namespace tilescope {

// What `export --view compare` is told beside the kernel itself, which is A.
struct CompareArguments {
  std::vector<std::string> beside;  // "KERNEL[,NAME=VALUE]...": B, C and D
  std::string panes;                // a view's name; empty: what differs
  std::string against = "A";        // letter of the base
  std::string subject;              // letter of the active one; empty: the last
  bool overlay = false;
};

// The settings that they ask for. kUsage: a letter or view that there is not, more than three
// beside, none of `beside` for what needs it.
[[nodiscard]] Result<ViewSettings> compare_settings(const CompareArguments& arguments);

// The kernel that the command names, A, is traced already.
struct ComparisonRequest {
  const KernelArguments& first_arguments;
  std::shared_ptr<const KernelStudy> first;
  const CompareArguments& compare;
  int compute_capability = 90;
  bool whole_grid = false;  // count every block instead of a sample
  const KnownMeasurements& known;
};

// The first and those beside it, traced at the same block and size, each with what its pane shows
// (cli/compared_variants.h) and with its known time. A file among them is launched as the first
// file is, else by a guess. Seconds.
[[nodiscard]] Result<std::shared_ptr<const ComparedSet>> compared_variants(
    const ComparisonRequest& request, const Resources& resources);

// The context is of the active variant from here on; `set` keeps its study alive.
void show_comparison(std::shared_ptr<const ComparedSet> set, ViewContext* context);

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
