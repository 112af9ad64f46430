#include "ui/chart_data.h"

#include <algorithm>

#include "store/recorded_library.h"
#include "ui/rates.h"

namespace tilescope {
namespace {

TimedWork timed(Problem problem, const RunResult& result) {
  return {work_of(problem, result), result.kernel.median_seconds, result.kernel.p5_seconds,
          result.kernel.p95_seconds, result.reference ? result.reference->median_seconds : 0};
}

ChartPoint::Origin measured_origin(const Desk& desk, const MeasuredPoint& point) {
  const auto device = desk.bench.gpu().device();
  return {device && device->ok() ? (*device)->name : std::string(), point.toolkit, point.date,
          short_reference(point.result.reference_name)};
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
  if (newest != measured.rend()) {
    return chart_point(timed(entry.problem, newest->result), Source::kMeasured,
                       measured_origin(desk, *newest));
  }
  const auto [file, run] = desk.recorded.find(entry, parameters, extents);
  if (run == nullptr) return std::nullopt;
  return chart_point(timed(entry.problem, as_result(*run)), Source::kRecorded,
                     {file->gpu, file->compiler, run->date, short_reference(run->reference_name)});
}

std::vector<ParameterSet> known_sizes(const Desk& desk, const CatalogueEntry& entry,
                                      const ParameterSet& parameters) {
  std::vector<ParameterSet> sizes = desk.recorded.sizes(entry, parameters);
  for (const MeasuredPoint& point : desk.bench.measured()) {
    if (point.kernel == entry.id && point.parameters == parameters) sizes.push_back(point.extents);
  }
  return sizes;
}

ChartQuestions questions_to(const Desk& desk) {
  return {[&desk](const CatalogueEntry& entry, const ParameterSet& parameters,
                  const ParameterSet& extents) {
            return known_point(desk, entry, parameters, extents);
          },
          [&desk](const CatalogueEntry& entry, const ParameterSet& parameters) {
            return known_sizes(desk, entry, parameters);
          },
          [&desk](const CatalogueEntry& entry, const ParameterSet& parameters,
                  const ParameterSet& extents) -> std::optional<ChartQuestions::Published> {
            const PublishedFigure* figure = desk.recorded.published(entry, parameters, extents);
            if (figure == nullptr) return std::nullopt;
            ChartQuestions::Published published;
            published.mark.rate = rate_of(entry.problem, *figure);
            published.mark.label = short_gpu(figure->gpu);
            published.about = figure->parameters;
            return published;
          }};
}

// Those of the active one's problem, as the catalogue has them.
std::vector<ChartVariant> charted_variants(const Desk& desk) {
  std::vector<ChartVariant> charted;
  const std::vector<Variant>& variants = desk.bench.variants();
  for (std::size_t v = 0; v < variants.size(); ++v) {
    const Variant& variant = variants[v];
    if (variant.entry == nullptr || variant.edited ||
        variant.entry->problem != problem_of(desk.bench.active())) {
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

}  // namespace

RateChart chart_over_parameter(const Desk& desk, const ParameterSpec& spec) {
  const auto active = active_variant(desk);
  return chart_over_parameter(charted_variants(desk), active ? &*active : nullptr, spec,
                              questions_to(desk));
}

RateChart chart_over_size(const Desk& desk) {
  const auto active = active_variant(desk);
  return chart_over_size(charted_variants(desk), active ? &*active : nullptr, questions_to(desk));
}

}  // namespace tilescope
