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

// From the launches of a measurement that is not done yet.
ChartPoint point_of(Problem problem, const ProblemCost& work, std::vector<double> seconds) {
  std::sort(seconds.begin(), seconds.end());
  const double own = problem == Problem::kGemm ? work.flop : work.bytes;
  return {.x = 0,
          .rate = own / seconds[seconds.size() / 2],
          .low = own / seconds.back(),
          .high = own / seconds.front(),
          .reference = 0,
          .source = Source::kMeasured,
          .chosen = false};
}

struct KnownPoint {
  ChartPoint point;
  ProblemCost work;
  std::size_t launches_so_far = 0;  // 0: it is done
  double recorded = 0;              // a rate that stands behind it; 0: none
};

// What is being measured of exactly this, else the newest measured run, else the recorded one.
std::optional<KnownPoint> known_point(const Desk& desk, const CatalogueEntry& entry,
                                      const ChartKey& key) {
  const RecordedRun* run = desk.recorded.find(entry, key.parameters, key.extents).run;
  const double recorded =
      run == nullptr ? 0 : rate_of(entry.problem, as_result(*run), run->times.median_seconds);
  const auto& measured = desk.bench.measured();
  const auto newest =
      std::find_if(measured.rbegin(), measured.rend(), [&](const MeasuredPoint& point) {
        return point.kernel == key.kernel && point.parameters == key.parameters &&
               point.extents == key.extents && point.result.kernel.median_seconds > 0;
      });
  for (const Measuring& measuring : desk.bench.measuring()) {
    const KernelInstance& instance = *measuring.instance;
    if (measuring.seconds.empty() || newest != measured.rend() || instance.id != key.kernel ||
        instance.parameters != key.parameters || instance.extents != key.extents)
      continue;
    const ProblemCost work = problem_cost(instance);
    return KnownPoint{point_of(entry.problem, work, measuring.seconds), work,
                      measuring.seconds.size(), recorded};
  }
  if (newest != measured.rend()) {
    const RunResult& result = newest->result;
    return KnownPoint{point_of(entry.problem, result, Source::kMeasured),
                      {result.flop, result.bytes},
                      0,
                      recorded};
  }
  if (run == nullptr) return std::nullopt;
  return KnownPoint{
      point_of(entry.problem, as_result(*run), Source::kRecorded), {run->flop, run->bytes}, 0, 0};
}

// Puts what is known at one place of the x axis into the last series of the chart.
void add_point(const Desk& desk, const CatalogueEntry& entry, ChartKey key, std::size_t x,
               bool chosen, LinkedChart* chart) {
  auto known = known_point(desk, entry, key);
  if (!known) return;
  known->point.x = static_cast<double>(x);
  known->point.chosen = chosen;
  ChartSeries& series = chart->series.back();
  if (known->launches_so_far > 0) {
    chart->under_way.push_back(
        {chart->series.size() - 1, series.points.size(), known->launches_so_far});
  }
  if (known->recorded > 0) {
    chart->recorded.push_back({known->point.x, known->recorded, desk.recorded.gpu()});
  }
  chart->work[x] = known->work;
  series.points.push_back(known->point);
  chart->keys.back().push_back(std::move(key));
}

void begin_series(std::size_t variant, LinkedChart* chart) {
  chart->series.push_back({static_cast<int>(variant), {}});
  chart->keys.emplace_back();
}

void end_series(LinkedChart* chart) {
  if (!chart->series.back().points.empty()) return;
  chart->series.pop_back();
  chart->keys.pop_back();
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

std::string describe(const ChartKey& key, const Variant& beside) {
  std::string words;
  for (const auto& [name, value] : key.parameters) {
    words += (words.empty() ? "" : ", ") + name + " " + std::to_string(value);
  }
  if (beside.entry == nullptr) return words;
  const std::string size = describe_size(beside.entry->problem, key.extents);
  return words + (words.empty() ? "" : "; ") + size;
}

LinkedChart chart_over_parameter(const Desk& desk, const ParameterSpec& spec) {
  LinkedChart chart;
  for (const std::int64_t value : spec.values) chart.labels.push_back(std::to_string(value));
  chart.work.resize(spec.values.size());
  const std::vector<Variant>& variants = desk.bench.variants();
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const Variant& variant = variants[v];
    if (variant.entry == nullptr || variant.edited ||
        variant.entry->problem != problem_of(desk.bench.active()))
      continue;
    const auto present = variant.parameters.find(spec.name);
    if (present == variant.parameters.end()) continue;
    begin_series(v, &chart);
    ParameterSet parameters = variant.parameters;
    for (std::size_t i = 0; i < spec.values.size(); ++i) {
      parameters[spec.name] = spec.values[i];
      add_point(desk, *variant.entry, {variant.entry->id, parameters, variant.extents}, i,
                present->second == spec.values[i], &chart);
    }
    end_series(&chart);
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

LinkedChart chart_over_size(const Desk& desk) {
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
  LinkedChart chart;
  for (const ParameterSet& size : sizes) chart.labels.push_back(describe_size(problem, size));
  chart.work.resize(sizes.size());
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const Variant& variant = variants[v];
    if (variant.entry == nullptr || variant.edited || variant.entry->problem != problem) continue;
    begin_series(v, &chart);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      add_point(desk, *variant.entry, {variant.entry->id, variant.parameters, sizes[i]}, i,
                variant.extents == sizes[i], &chart);
    }
    end_series(&chart);
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
