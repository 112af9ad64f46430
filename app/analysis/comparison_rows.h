#pragma once
#include <span>
#include <vector>

#include "analysis/comparison.h"

namespace tilescope {

// The rows of a comparison's table: rate and time, how much each does where that differs, the
// parameters that differ, what warps ask of memory, what they wait for, what a block costs, and the
// parameters that one kernel alone has. Rows of which no kernel has a value are left out. `works`:
// by kernel.
[[nodiscard]] std::vector<MetricRow> comparison_rows(std::span<const ComparedKernel> kernels,
                                                     std::span<const ComparedWork> works);

}  // namespace tilescope
