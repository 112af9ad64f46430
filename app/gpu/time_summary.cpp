#include "gpu/time_summary.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tilescope {
namespace {

double percentile(const std::vector<double>& sorted, double fraction) {
  const double place = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return std::lerp(sorted[below], sorted[above], place - std::floor(place));
}

}  // namespace

TimeSummary summarise(std::vector<double> samples) {
  TimeSummary summary;
  if (samples.empty()) return summary;
  std::vector<double> sorted = samples;
  std::sort(sorted.begin(), sorted.end());
  summary.count = static_cast<int>(samples.size());
  summary.median_seconds = percentile(sorted, 0.5);
  summary.p5_seconds = percentile(sorted, 0.05);
  summary.p95_seconds = percentile(sorted, 0.95);
  summary.samples = std::move(samples);
  return summary;
}

}  // namespace tilescope
