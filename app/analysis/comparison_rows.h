#pragma once
#include <span>
#include <vector>

#include "analysis/comparison.h"

namespace tilescope {

// The rows of a comparison's table: rate and time, the parameters that differ, what warps ask of
// memory, what they wait for, what a block costs. Rows of which no kernel has a value are left out.
[[nodiscard]] std::vector<MetricRow> comparison_rows(std::span<const ComparedKernel> kernels);

}  // namespace tilescope
