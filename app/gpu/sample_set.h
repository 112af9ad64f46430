#pragma once

#include <cstdint>
#include <vector>

#include "gpu/messages.h"

namespace tilescope {

// One sample of each, in turn, in seconds; 0 for what there is not.
struct SampleTurn {
  double kernel = 0;
  double reference = 0;
  double other = 0;
};

// The samples of one run. Those taken while the GPU's clock was held down are kept apart: they are
// counted, and used only where there are no others.
class SampleSet {
 public:
  // `throttle_reasons`: as NVML gives them just after the sample; only kThrottled matters.
  void add(const SampleTurn& turn, std::uint64_t throttle_reasons);

  // Whether the medians of the kernel and, where there is one, of the reference are known to this
  // part of themselves (relative_error_of), the reference's from 20 samples or more; 0: never.
  [[nodiscard]] bool known_to(double relative_error) const;

  // Sets the kernel's times, those of the reference and the other where result->reference_name and
  // result->other_name say that there are any, and what result->conditions says of throttling.
  void summarise_into(RunResult* result) const;

 private:
  struct Times {
    std::vector<double> kernel;
    std::vector<double> reference;
    std::vector<double> other;
  };
  Times good_;
  Times throttled_;
  std::uint64_t reasons_ = 0;
};

// Median, 5th and 95th percentile of the samples (seconds, in the order they were taken), linearly
// interpolated between neighbours. No samples: all zero, count 0.
[[nodiscard]] TimeSummary summarise(std::vector<double> samples);

// Half the width of the 95 % confidence interval of the median, which order statistics give without
// a word on the distribution, over the median. 1 where there are fewer than 8 samples.
[[nodiscard]] double relative_error_of(const std::vector<double>& samples);

}  // namespace tilescope
