#include "scene/roofline/log_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/quantity.h"

namespace tilescope {

float LogAxis::at(double value) const {
  const double share =
      value > 0 ? std::clamp(std::log10(value / low) / std::log10(high / low), -1.0, 2.0) : -1.0;
  return begin + (end - begin) * static_cast<float>(share);
}

std::vector<double> ticks_of(const LogAxis& axis, float least) {
  std::vector<double> decades;
  std::vector<double> all;
  for (double ten = std::pow(10, std::floor(std::log10(axis.low))); ten < axis.high; ten *= 10) {
    for (const double times : {1.0, 2.0, 5.0}) {
      const double tick = times * ten;
      if (tick < axis.low || tick >= axis.high) continue;
      all.push_back(tick);
      if (times == 1.0) decades.push_back(tick);
    }
  }
  const bool room = std::abs(axis.at(2 * axis.low) - axis.at(axis.low)) >= least;
  return decades.size() < 3 && room ? all : decades;
}

std::string tick_words(double tick) {
  if (tick < 1000) return fmt::format("{:g}", tick);
  return format_count(static_cast<std::uint64_t>(std::llround(tick)));
}

}  // namespace tilescope
