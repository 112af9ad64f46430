#include "ui/chart_data.h"

#include <algorithm>
#include <map>

#include "ui/rates.h"
#include "ui/recorded_library.h"

namespace tilescope {
namespace {

ChartPoint point_of(Problem problem, const RunResult& result, Source source) {
  const auto rate = [&](double seconds) { return rate_of(problem, result, seconds); };
  return {.x = 0,
          .rate = rate(result.kernel.median_seconds),
          .low = rate(result.kernel.p95_seconds),
          .high = rate(result.kernel.p5_seconds),
          .reference = result.reference ? rate(result.reference->median_seconds) : 0,
          .source = source,
          .chosen = false};
}

// The newest measured run of exactly this, else the recorded one.
std::optional<ChartPoint> known_point(const Desk& desk, const CatalogueEntry& entry,
                                      const ParameterSet& parameters, const ParameterSet& extents) {
  const auto& measured = desk.bench.measured();
  const auto newest =
      std::find_if(measured.rbegin(), measured.rend(), [&](const MeasuredPoint& point) {
        return point.kernel == entry.id && point.parameters == parameters &&
               point.extents == extents && point.result.kernel.median_seconds > 0;
      });
  if (newest != measured.rend()) return point_of(entry.problem, newest->result, Source::kMeasured);
  const RecordedRun* run = desk.recorded.find(entry, parameters, extents).run;
  if (run == nullptr) return std::nullopt;
  return point_of(entry.problem, as_result(*run), Source::kRecorded);
}

std::vector<ParameterSet> known_sizes(const Desk& desk, const CatalogueEntry& entry,
                                      const ParameterSet& parameters) {
  std::vector<ParameterSet> sizes = desk.recorded.sizes(entry, parameters);
  for (const MeasuredPoint& point : desk.bench.measured()) {
    if (point.kernel == entry.id && point.parameters == parameters) sizes.push_back(point.extents);
  }
  return sizes;
}

double volume(const ParameterSet& extents) {
  double product = 1;
  for (const auto& [name, extent] : extents) product *= static_cast<double>(extent);
  return product;
}

// "2048", "2048 × 512", "2048² × 1024" for M, N, K.
std::string describe_size(Problem problem, const ParameterSet& extents) {
  const auto at = [&](const char* name) {
    const auto found = extents.find(name);
    return found != extents.end() ? found->second : 0;
  };
  if (problem != Problem::kGemm) {
    const std::string rows = std::to_string(at("ROWS"));
    return at("ROWS") == at("COLS") ? rows : rows + " × " + std::to_string(at("COLS"));
  }
  const std::string m = std::to_string(at("M"));
  const std::string k = std::to_string(at("K"));
  if (at("M") == at("N") && at("N") == at("K")) return m;
  if (at("M") == at("N")) return m + "² × " + k;
  return m + " × " + std::to_string(at("N")) + " × " + k;
}

ChartMark mark_of(Problem problem, const PublishedFigure& figure, std::size_t x) {
  return {static_cast<double>(x), rate_of(problem, figure), short_gpu(figure.gpu)};
}

}  // namespace

RateChart chart_over_parameter(const Desk& desk, const ParameterSpec& spec) {
  RateChart chart;
  for (const std::int64_t value : spec.values) chart.labels.push_back(std::to_string(value));
  const std::vector<Variant>& variants = desk.bench.variants();
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const Variant& variant = variants[v];
    if (variant.entry == nullptr || variant.edited ||
        variant.entry->problem != problem_of(desk.bench.active()))
      continue;
    const auto present = variant.parameters.find(spec.name);
    if (present == variant.parameters.end()) continue;
    ChartSeries series{static_cast<int>(v), {}};
    ParameterSet parameters = variant.parameters;
    for (std::size_t i = 0; i < spec.values.size(); ++i) {
      parameters[spec.name] = spec.values[i];
      auto point = known_point(desk, *variant.entry, parameters, variant.extents);
      if (!point) continue;
      point->x = static_cast<double>(i);
      point->chosen = present->second == spec.values[i];
      series.points.push_back(*point);
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  const Variant& active = desk.bench.active();
  if (active.entry == nullptr) return chart;
  ParameterSet parameters = active.parameters;
  for (std::size_t i = 0; i < spec.values.size(); ++i) {
    parameters[spec.name] = spec.values[i];
    const PublishedFigure* figure =
        desk.recorded.published(*active.entry, parameters, active.extents);
    // One that is not about this parameter stands where the variant does.
    if (figure == nullptr) continue;
    if (figure->parameters.contains(spec.name) || parameters == active.parameters) {
      chart.marks.push_back(mark_of(active.entry->problem, *figure, i));
    }
  }
  return chart;
}

RateChart chart_over_size(const Desk& desk) {
  const Problem problem = problem_of(desk.bench.active());
  const std::vector<Variant>& variants = desk.bench.variants();
  std::vector<ParameterSet> sizes;
  for (const Variant& variant : variants) {
    if (variant.entry == nullptr || variant.edited || variant.entry->problem != problem) continue;
    for (ParameterSet& size : known_sizes(desk, *variant.entry, variant.parameters)) {
      if (std::find(sizes.begin(), sizes.end(), size) == sizes.end())
        sizes.push_back(std::move(size));
    }
  }
  std::sort(sizes.begin(), sizes.end(), [](const ParameterSet& a, const ParameterSet& b) {
    return std::pair(volume(a), a) < std::pair(volume(b), b);
  });
  RateChart chart;
  for (const ParameterSet& size : sizes) chart.labels.push_back(describe_size(problem, size));
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const Variant& variant = variants[v];
    if (variant.entry == nullptr || variant.edited || variant.entry->problem != problem) continue;
    ChartSeries series{static_cast<int>(v), {}};
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      auto point = known_point(desk, *variant.entry, variant.parameters, sizes[i]);
      if (!point) continue;
      point->x = static_cast<double>(i);
      point->chosen = variant.extents == sizes[i];
      series.points.push_back(*point);
    }
    if (!series.points.empty()) chart.series.push_back(std::move(series));
  }
  const Variant& active = desk.bench.active();
  for (std::size_t i = 0; active.entry != nullptr && i < sizes.size(); ++i) {
    const PublishedFigure* figure =
        desk.recorded.published(*active.entry, active.parameters, sizes[i]);
    if (figure != nullptr) chart.marks.push_back(mark_of(problem, *figure, i));
  }
  return chart;
}

}  // namespace tilescope
