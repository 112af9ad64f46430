#include "scene/rate_axis.h"

#include <array>
#include <cmath>
#include <utility>

namespace tilescope {

double rate_scale(Unit unit) { return unit == Unit::kFlopPerSecond ? 1e12 : 1e9; }

std::string_view rate_unit_word(Unit unit) {
  return unit == Unit::kFlopPerSecond ? "TFLOP/s" : "GB/s";
}

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

}  // namespace tilescope
