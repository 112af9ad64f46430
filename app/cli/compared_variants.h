#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analysis/study/kernel_study.h"
#include "cli/command.h"
#include "cli/kernel_arguments.h"
#include "scene/view/view_descriptor.h"
#include "session/view_queries.h"

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

// Where the active one stands among the variants, of which the kernel itself is the first.
[[nodiscard]] std::size_t subject_of(const CompareArguments& arguments);

// The kernel that the command names, A, is traced already.
struct ComparisonRequest {
  const KernelArguments& first_arguments;
  std::shared_ptr<const KernelStudy> first;
  const CompareArguments& compare;
  const ViewNeeds& needs;  // of every variant
  int compute_capability = 90;
  bool whole_grid = false;
};

// The first and those beside it, complete, at the same block and size. A file among them is
// launched as the first file is, else by a guess. Seconds.
[[nodiscard]] Result<std::vector<ViewedVariant>> compared_variants(const ComparisonRequest& request,
                                                                   const Resources& resources);

}  // namespace tilescope
