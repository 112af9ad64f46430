#pragma once
#include <memory>
#include <string>
#include <vector>

#include "cli/kernel_arguments.h"
#include "cli/resources.h"
#include "scene/compare/compared.h"
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
  const KnownTimes& times;
};

// The first and those beside it, traced at the same block and size, each with what its pane shows
// (cli/view_study.h) and with its known time. A file among them is launched as the first file
// is, else by a guess. Seconds.
[[nodiscard]] Result<std::shared_ptr<const ComparedSet>> compared_variants(
    const ComparisonRequest& request, const Resources& resources);

// The context is of the active variant from here on; `set` keeps its study alive.
void show_comparison(std::shared_ptr<const ComparedSet> set, ViewContext* context);

}  // namespace tilescope
