#pragma once
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "kernel/catalogue/catalogue.h"
#include "scene/compare/compared.h"
#include "scene/view/view.h"

namespace tilescope {

// A catalogue kernel to be compared, and how long it takes, as if that had been recorded.
struct ComparedCase {
  const char* kernel;
  ParameterSet parameters;
  ParameterSet extents;
  std::optional<double> seconds = std::nullopt;
};

// The last one is active and stands at its telling moment, the others at the same share of their
// time. Empty variants with the reason in `missing` where this machine has no NVRTC.
[[nodiscard]] std::shared_ptr<const ComparedSet> compared_cases(
    const std::vector<ComparedCase>& cases);
[[nodiscard]] ViewContext compared_context(std::shared_ptr<const ComparedSet> set);

}  // namespace tilescope
