#pragma once
#include <string>
#include <vector>

#include "core/quantity.h"

namespace tilescope {

// One point of a chart of rates.
struct ChartPoint {
  double x = 0;          // index into RateChart::labels, so that steps are even
  double rate = 0;       // of the median time
  double low = 0;        // of the 95th percentile of the times
  double high = 0;       // of the 5th
  double reference = 0;  // of cuBLAS or the copy beside it; 0: none
  Source source = Source::kMeasured;
  bool chosen = false;  // where the variant stands now
};
struct ChartSeries {
  int variant = 0;
  std::vector<ChartPoint> points;  // by x
};
// What others published at that place of the x axis.
struct ChartMark {
  double x = 0;
  double rate = 0;
  std::string label;  // "RTX 3080"
};
// Rates in flop/s or bytes/s.
struct RateChart {
  std::vector<std::string> labels;  // of the x axis
  std::vector<ChartMark> marks;     // of the active variant's kernel
  std::vector<ChartSeries> series;  // those that have points
};

}  // namespace tilescope
