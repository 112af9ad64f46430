#pragma once
#include <string>
#include <vector>

#include "scene/rates/rate_chart_data.h"

namespace tilescope {

// An axis from 0 to a round figure above `most`, in `steps` equal steps.
struct RoundAxis {
  double top = 1;
  int steps = 2;
};
[[nodiscard]] RoundAxis round_axis(double most);

// Whether a reference belongs on the axis of points up to `most`: one that would leave them less
// than an eighth of the height is named at its upper edge instead.
[[nodiscard]] bool is_within_sight(double level, double most);

// The x axis of a chart, in places (RateChart::place): a parameter's values at equal steps; sizes
// by the logarithm to base 2 of their side, with ticks at two powers of two at least.
struct PlaceAxis {
  double first = -0.5;
  double last = 0.5;
  struct Tick {
    double place = 0;
    std::string words;
  };
  std::vector<Tick> ticks;  // from left to right
};
[[nodiscard]] PlaceAxis place_axis(const RateChart& chart);

}  // namespace tilescope
