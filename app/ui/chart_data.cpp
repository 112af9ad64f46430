#include "ui/chart_data.h"

#include <algorithm>
#include <map>

#include "ui/rates.h"

namespace tilescope {
namespace {

bool same_but_for(const ParameterSet& a, const ParameterSet& b, const std::string& parameter) {
  if (a.size() != b.size()) return false;
  return std::all_of(a.begin(), a.end(), [&](const auto& entry) {
    const auto other = b.find(entry.first);
    return other != b.end() && (entry.first == parameter || other->second == entry.second);
  });
}

}  // namespace

ChartSeries series_over(const Workbench& bench, const Variant& variant, int index,
                        const std::string& parameter) {
  ChartSeries series{index, {}};
  if (variant.entry == nullptr) return series;
  const auto& specs = variant.entry->parameters;
  const auto spec = std::find_if(specs.begin(), specs.end(),
                                 [&](const ParameterSpec& s) { return s.name == parameter; });
  if (spec == specs.end()) return series;
  std::map<std::int64_t, ChartPoint> newest;
  for (const MeasuredPoint& point : bench.measured()) {
    if (point.kernel != variant.entry->id || point.extents != variant.extents ||
        !same_but_for(point.parameters, variant.parameters, parameter) ||
        point.result.kernel.median_seconds <= 0) {
      continue;
    }
    const std::int64_t value = point.parameters.at(parameter);
    const auto at = std::find(spec->values.begin(), spec->values.end(), value);
    if (at == spec->values.end()) continue;
    const Problem problem = variant.entry->problem;
    const RunResult& result = point.result;
    newest[value] = {.x = static_cast<double>(at - spec->values.begin()),
                     .value = value,
                     .rate = rate_of(problem, result, result.kernel.median_seconds),
                     .low = rate_of(problem, result, result.kernel.p95_seconds),
                     .high = rate_of(problem, result, result.kernel.p5_seconds),
                     .reference = result.reference
                                      ? rate_of(problem, result, result.reference->median_seconds)
                                      : 0,
                     .source = Source::kMeasured};
  }
  for (const auto& [value, point] : newest) series.points.push_back(point);
  return series;
}

}  // namespace tilescope
