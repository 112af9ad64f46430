#pragma once
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/resources.h"
#include "scene/compared.h"

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
[[nodiscard]] std::size_t subject_index(const CompareArguments& arguments);

// Adds to a traced study what a comparison needs: registers and counts.
using CompleteStudy = std::function<Result<std::shared_ptr<const KernelStudy>>(
    std::shared_ptr<const KernelStudy> study)>;

// `first` and those beside it, traced at the same block and size, each completed, with their
// recorded times. A file among them is launched as the first file is, else by a guess. Seconds.
[[nodiscard]] Result<std::shared_ptr<const ComparedSet>> compared_variants(
    const KernelArguments& first_arguments, std::shared_ptr<const KernelStudy> first,
    const CompareArguments& arguments, const Resources& resources, int compute_capability,
    const CompleteStudy& complete);

}  // namespace tilescope
