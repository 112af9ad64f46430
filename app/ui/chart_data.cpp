#include "ui/chart_data.h"

#include <algorithm>

#include "ui/rates.h"
#include "ui/recorded_library.h"

namespace tilescope {
ChartSeries series_over(const Desk& desk, const Variant& variant, int index,
                        const std::string& parameter) {
  ChartSeries series{index, {}};
  if (variant.entry == nullptr) return series;
  const auto& specs = variant.entry->parameters;
  const auto spec = std::find_if(specs.begin(), specs.end(),
                                 [&](const ParameterSpec& s) { return s.name == parameter; });
  if (spec == specs.end()) return series;
  const auto point_of = [&](std::size_t i, const RunResult& result, Source source) {
    const auto rate = [&](double seconds) {
      return rate_of(variant.entry->problem, result, seconds);
    };
    return ChartPoint{.x = static_cast<double>(i),
                      .value = spec->values[i],
                      .rate = rate(result.kernel.median_seconds),
                      .low = rate(result.kernel.p95_seconds),
                      .high = rate(result.kernel.p5_seconds),
                      .reference = result.reference ? rate(result.reference->median_seconds) : 0,
                      .source = source};
  };
  ParameterSet parameters = variant.parameters;
  for (std::size_t i = 0; i < spec->values.size(); ++i) {
    parameters[parameter] = spec->values[i];
    const auto& measured = desk.bench.measured();
    const auto newest =
        std::find_if(measured.rbegin(), measured.rend(), [&](const MeasuredPoint& point) {
          return point.kernel == variant.entry->id && point.parameters == parameters &&
                 point.extents == variant.extents && point.result.kernel.median_seconds > 0;
        });
    if (newest != measured.rend()) {
      series.points.push_back(point_of(i, newest->result, Source::kMeasured));
    } else if (const RecordedRun* run =
                   desk.recorded.find(*variant.entry, parameters, variant.extents).run) {
      series.points.push_back(point_of(i, as_result(*run), Source::kRecorded));
    }
  }
  return series;
}

}  // namespace tilescope
