#include "scene/rates/rate_axis.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "core/quantity.h"

namespace tilescope {

RoundAxis round_axis(double most) {
  if (most <= 0) return {};
  const double decade = std::pow(10.0, std::floor(std::log10(most)));
  static constexpr std::array<std::pair<double, int>, 8> kEnds{
      {{1, 2}, {1.5, 3}, {2, 2}, {3, 3}, {4, 4}, {6, 3}, {8, 4}, {10, 2}}};
  for (const auto& [end, steps] : kEnds) {
    if (most <= end * decade) return {end * decade, steps};
  }
  return {10 * decade, 2};
}

bool is_within_sight(double level, double most) { return level <= 8 * most; }

PlaceAxis place_axis(const RateChart& chart) {
  PlaceAxis axis;
  if (chart.sides.empty()) {
    axis.last = static_cast<double>(chart.labels.size()) - 0.5;
    for (const std::string& label : chart.labels) {
      axis.ticks.push_back({static_cast<double>(axis.ticks.size()), label});
    }
    return axis;
  }
  const auto [least, most] = std::ranges::minmax(chart.sides);
  double low = std::log2(least);
  double high = std::log2(most);
  if (std::floor(high) - std::ceil(low) < 1) {
    const bool is_power = low == high && low == std::floor(low);
    low = std::floor(low) - (is_power ? 1 : 0);
    high = std::max(std::ceil(high) + (is_power ? 1 : 0), low + 1);
  }
  const double margin = std::max(0.06 * (high - low), 0.1);
  axis.first = low - margin;
  axis.last = high + margin;
  for (double power = std::ceil(low); power <= std::floor(high); ++power) {
    axis.ticks.push_back({power, format_count(static_cast<std::uint64_t>(std::exp2(power)))});
  }
  return axis;
}

}  // namespace tilescope
