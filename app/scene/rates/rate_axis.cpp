#include "scene/rates/rate_axis.h"

#include <array>
#include <cmath>
#include <utility>

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

}  // namespace tilescope
