#include "ui/charts/chart_data.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "kernel/parameter_values.h"
#include "session/variant_instance.h"
#include "store/rates.h"
#include "store/recorded_library.h"
#include "ui/desk/rates.h"

namespace tilescope {
namespace {

TimedWork timed(Problem problem, const RunResult& result) {
  return {problem,
          {result.flop, result.bytes},
          result.kernel.median_seconds,
          result.kernel.p5_seconds,
          result.kernel.p95_seconds,
          result.reference ? result.reference->median_seconds : 0};
}

// From the launches of a measurement that is not done yet.
TimedWork timed(Problem problem, const ProblemCost& work, std::vector<double> seconds) {
  std::ranges::sort(seconds);
  return {problem, work, seconds[seconds.size() / 2], seconds.front(), seconds.back(), 0};
}

ChartPoint::Origin measured_origin(const Desk& desk) {
  const auto device = desk.bench.gpu().device();
  return {device && device->ok() ? (*device)->name : std::string(), {}, {}, {}};
}

struct KnownPoint {
  ChartPoint point;
  ChartKey key;
  ProblemCost work;
  std::size_t launches_so_far = 0;  // 0: it is done
  ChartMark recorded;               // what stands behind a measured one; rate 0: nothing
};

// An edited text of the active variant stands in the place of its kernel: of that alone there are
// points then, and nothing is recorded or published. nullptr: the kernel as it ships.
const std::string* edited_text(const Desk& desk, const CatalogueEntry& entry) {
  const Variant& active = desk.bench.active();
  return active.entry == &entry && active.edited ? &*active.edited : nullptr;
}

ChartKey key_in(const Desk& desk, const CatalogueEntry& entry, const ParameterSet& parameters,
                const ParameterSet& extents) {
  return {edited_text(desk, entry) != nullptr ? edited_id(entry.id) : entry.id, parameters,
          extents};
}

// Whether a measurement of this kernel and text belongs into the chart of the entry.
bool is_shown_text(const std::string* edited, std::size_t text) {
  return edited == nullptr || text == std::hash<std::string>{}(*edited);
}

// What is being measured of exactly this, else the newest measured run, else the recorded one.
std::optional<KnownPoint> known_point(const Desk& desk, const CatalogueEntry& entry, ChartKey key) {
  const Problem problem = entry.problem;
  const bool cold = desk.bench.cold();
  KnownPoint known;
  const std::string* edited = edited_text(desk, entry);
  const auto [file, run] = edited != nullptr
                               ? RecordedLibrary::Found{}
                               : desk.recorded.find(entry, key.parameters, key.extents, cold);
  if (run != nullptr) {
    const double rate = rate_of(problem, as_result(*run), run->times.median_seconds);
    known.recorded = {0, rate, file->gpu};
  }
  const auto& measured = desk.bench.measured();
  const auto newest =
      std::find_if(measured.rbegin(), measured.rend(), [&](const MeasuredPoint& point) {
        return point.kernel == key.kernel && point.parameters == key.parameters &&
               point.extents == key.extents && point.result.cold == cold &&
               point.result.kernel.median_seconds > 0 && is_shown_text(edited, point.text);
      });
  const auto under_way =
      std::ranges::find_if(desk.bench.measuring(), [&](const Measuring& measuring) {
        const KernelInstance& instance = *measuring.instance;
        return !measuring.seconds.empty() && measuring.cold == cold && instance.id == key.kernel &&
               instance.parameters == key.parameters && instance.extents == key.extents &&
               (edited == nullptr || instance.source == *edited);
      });
  known.key = std::move(key);
  if (newest != measured.rend()) {
    ChartPoint::Origin origin = measured_origin(desk);
    origin.toolkit = newest->toolkit;
    origin.date = newest->date;
    origin.reference = short_reference(newest->result.reference_name);
    known.point = chart_point(timed(problem, newest->result), Source::kMeasured, std::move(origin));
    known.work = {newest->result.flop, newest->result.bytes};
    return known;
  }
  if (under_way != desk.bench.measuring().end()) {
    known.work = problem_cost(*under_way->instance);
    known.launches_so_far = under_way->seconds.size();
    known.point = chart_point(timed(problem, known.work, under_way->seconds), Source::kMeasured,
                              measured_origin(desk));
    return known;
  }
  if (run == nullptr) return std::nullopt;
  known.recorded = {};
  known.work = {run->flop, run->bytes};
  known.point =
      chart_point(timed(problem, as_result(*run)), Source::kRecorded,
                  {file->gpu, file->compiler, run->date, short_reference(run->reference_name)});
  return known;
}

std::vector<ParameterSet> known_sizes(const Desk& desk, const CatalogueEntry& entry,
                                      const ParameterSet& parameters) {
  const std::string* edited = edited_text(desk, entry);
  std::vector<ParameterSet> sizes;
  if (edited == nullptr) sizes = desk.recorded.sizes(entry, parameters, desk.bench.cold());
  const std::string kernel = key_in(desk, entry, {}, {}).kernel;
  for (const MeasuredPoint& point : desk.bench.measured()) {
    if (point.kernel == kernel && point.parameters == parameters &&
        point.result.cold == desk.bench.cold() && is_shown_text(edited, point.text)) {
      sizes.push_back(point.extents);
    }
  }
  return sizes;
}

// `known` gets what there is to say of each point that the chart asks for, in its order.
ChartQuestions questions_to(const Desk& desk, std::vector<KnownPoint>* known) {
  return {[&desk, known](const CatalogueEntry& entry, const ParameterSet& parameters,
                         const ParameterSet& extents) -> std::optional<ChartPoint> {
            auto point = known_point(desk, entry, key_in(desk, entry, parameters, extents));
            if (!point) return std::nullopt;
            known->push_back(*std::move(point));
            return known->back().point;
          },
          [&desk](const CatalogueEntry& entry, const ParameterSet& parameters) {
            return known_sizes(desk, entry, parameters);
          },
          [&desk](const CatalogueEntry& entry, const ParameterSet& parameters,
                  const ParameterSet& extents) -> std::optional<ChartQuestions::Published> {
            if (edited_text(desk, entry) != nullptr) return std::nullopt;
            const PublishedFigure* figure = desk.recorded.published(entry, parameters, extents);
            if (figure == nullptr) return std::nullopt;
            ChartQuestions::Published published;
            published.mark.rate = rate_of(entry.problem, *figure);
            published.mark.label = short_gpu(figure->gpu);
            published.about = figure->parameters;
            return published;
          }};
}

// Those of the active one's problem, as the catalogue has them, and the active one as it is. An
// edited text that is active leaves out other texts of its kernel: a point of theirs would be asked
// for under the same name.
std::vector<ChartVariant> charted_variants(const Desk& desk) {
  std::vector<ChartVariant> charted;
  const std::vector<Variant>& variants = desk.bench.variants();
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const Variant& variant = variants[v];
    const Variant& active = desk.bench.active();
    if (variant.entry == nullptr || variant.entry->problem != problem_of(active)) continue;
    if (&variant != &active &&
        (variant.edited || (active.edited && variant.entry == active.entry))) {
      continue;
    }
    charted.push_back({static_cast<int>(v), variant.entry, variant.parameters, variant.extents});
  }
  return charted;
}

std::optional<ChartVariant> active_variant(const Desk& desk) {
  const Variant& active = desk.bench.active();
  if (active.entry == nullptr) return std::nullopt;
  return ChartVariant{desk.bench.active_index(), active.entry, active.parameters, active.extents};
}

// `known`: of the chart's points, series after series.
LinkedChart linked(RateChart chart, std::vector<KnownPoint> known) {
  LinkedChart result{std::move(chart), {}, {}, {}, {}, 0};
  result.work.resize(result.labels.size());
  auto next = known.begin();
  for (std::size_t s = 0; s < result.series.size(); ++s) {
    std::vector<ChartKey>& keys = result.keys.emplace_back();
    const std::vector<ChartPoint>& points = result.series[s].points;
    for (std::size_t p = 0; p < points.size(); ++p, ++next) {
      result.work[static_cast<std::size_t>(points[p].x)] = next->work;
      keys.push_back(std::move(next->key));
      if (next->launches_so_far > 0) result.under_way.push_back({s, p, next->launches_so_far});
      if (next->recorded.rate <= 0) continue;
      next->recorded.x = points[p].x;
      result.recorded.push_back(std::move(next->recorded));
    }
  }
  return result;
}

// Values of a parameter that were recorded of the active variant with the L2 otherwise alone.
std::size_t only_otherwise(const Desk& desk, const ChartVariant& active,
                           const ParameterSpec& spec) {
  if (edited_text(desk, *active.entry) != nullptr) return 0;
  ParameterSet parameters = active.parameters;
  return static_cast<std::size_t>(std::ranges::count_if(spec.values, [&](std::int64_t value) {
    parameters[spec.name] = value;
    const auto otherwise =
        desk.recorded.find(*active.entry, parameters, active.extents, !desk.bench.cold());
    return otherwise.run != nullptr &&
           !known_point(desk, *active.entry,
                        key_in(desk, *active.entry, parameters, active.extents));
  }));
}

// The same of sizes.
std::size_t only_otherwise(const Desk& desk, const ChartVariant& active) {
  if (edited_text(desk, *active.entry) != nullptr) return 0;
  const auto known = known_sizes(desk, *active.entry, active.parameters);
  const auto otherwise = desk.recorded.sizes(*active.entry, active.parameters, !desk.bench.cold());
  return static_cast<std::size_t>(std::ranges::count_if(otherwise, [&](const ParameterSet& size) {
    return std::ranges::find(known, size) == known.end();
  }));
}

}  // namespace

std::string describe(const ChartKey& key, const Variant& beside) {
  const std::string words = values_words(beside.entry, key.parameters);
  if (beside.entry == nullptr) return words;
  const std::string size = describe_size(beside.entry->problem, key.extents);
  return words + (words.empty() ? "" : "; ") + size;
}

LinkedChart chart_over_parameter(const Desk& desk, const ParameterSpec& spec) {
  const auto active = active_variant(desk);
  std::vector<KnownPoint> known;
  RateChart chart = chart_over_parameter(charted_variants(desk), active ? &*active : nullptr, spec,
                                         questions_to(desk, &known));
  LinkedChart result = linked(std::move(chart), std::move(known));
  if (active) result.only_otherwise = only_otherwise(desk, *active, spec);
  return result;
}

LinkedChart chart_over_size(const Desk& desk) {
  const auto active = active_variant(desk);
  std::vector<KnownPoint> known;
  RateChart chart = chart_over_size(charted_variants(desk), active ? &*active : nullptr,
                                    questions_to(desk, &known));
  LinkedChart result = linked(std::move(chart), std::move(known));
  if (active) result.only_otherwise = only_otherwise(desk, *active);
  return result;
}

}  // namespace tilescope
