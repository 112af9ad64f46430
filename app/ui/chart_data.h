#pragma once
#include <string>
#include <vector>

#include "core/quantity.h"
#include "ui/desk.h"

namespace tilescope {

// One point of the chart over a parameter.
struct ChartPoint {
  double x = 0;  // index of the value among those offered, so that steps are even
  std::int64_t value = 0;
  double rate = 0;       // of the median
  double low = 0;        // of the 95th percentile of the times
  double high = 0;       // of the 5th
  double reference = 0;  // of cuBLAS or the copy beside it; 0: none
  Source source = Source::kMeasured;
};
struct ChartSeries {
  int variant = 0;
  std::vector<ChartPoint> points;  // by x
};

// The newest measurement of each value of `parameter`, all other parameters and the size being the
// variant's own; what was recorded of exactly that where nothing was measured.
[[nodiscard]] ChartSeries series_over(const Desk& desk, const Variant& variant, int index,
                                      const std::string& parameter);

}  // namespace tilescope
