#pragma once
#include <vector>

#include "gpu/messages.h"

namespace tilescope {

// Median, 5th and 95th percentile of the samples (seconds, in the order they were taken), linearly
// interpolated between neighbours. No samples: all zero, count 0.
[[nodiscard]] TimeSummary summarise(std::vector<double> samples);

// Half the width of the 95 % confidence interval of the median, which order statistics give without
// a word on the distribution, over the median. 1 where there are fewer than 8 samples.
[[nodiscard]] double relative_error_of(const std::vector<double>& samples);

}  // namespace tilescope
