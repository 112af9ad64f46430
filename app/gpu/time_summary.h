#pragma once
#include <vector>

#include "gpu/messages.h"

namespace tilescope {

// Median, 5th and 95th percentile of the samples (seconds, in the order they were taken), linearly
// interpolated between neighbours. No samples: all zero, count 0.
[[nodiscard]] TimeSummary summarise(std::vector<double> samples);

}  // namespace tilescope
