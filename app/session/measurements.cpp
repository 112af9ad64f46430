#include "session/measurements.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "analysis/time/machine_rates.h"
#include "kernel/catalogue/parameter_values.h"
#include "session/document.h"
#include "store/rates.h"
#include "store/source_digest.h"

namespace tilescope {

LaunchKey session_key(const KernelInstance& instance, bool cold) {
  return launch_key(instance, cold, text_digest(instance.source));
}

LaunchKey session_key(const ChartVariant& variant, bool cold) {
  const bool edited = !variant.edited.empty();
  return {edited ? edited_id(variant.entry->id) : variant.entry->id,
          edited ? variant.edited : text_digest(variant.entry->source),
          variant.parameters,
          variant.extents,
          variant.factors,
          cold};
}

std::vector<const Measurement*> all_of(std::span<const Measurement> points, const LaunchKey& key) {
  std::vector<const Measurement*> found;
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (!(point->of == key) || point->result.kernel.median_seconds <= 0) continue;
    const bool is_there = std::ranges::any_of(found, [&](const Measurement* newer) {
      return conditions_of(*newer) == conditions_of(*point);
    });
    if (!is_there) found.push_back(&*point);
  }
  return found;
}

std::size_t MeasuredPoints::hash_of(const LaunchKey& key, Without without) {
  std::size_t hash = std::hash<std::string>()(key.kernel);
  const auto add = [&](std::size_t more) { hash = hash * 31 + more; };
  add(std::hash<std::string>()(key.source));
  add(std::hash<std::string>()(key.launch));
  add(key.cold ? 1 : 0);
  const auto add_set = [&](const ParameterSet& set) {
    for (const auto& [name, value] : set) add(std::hash<std::int64_t>()(value));
  };
  if (without != Without::kParameters) add_set(key.parameters);
  if (without != Without::kExtents) add_set(key.extents);
  return hash;
}

bool MeasuredPoints::same(const LaunchKey& a, const LaunchKey& b, Without without) {
  return a.kernel == b.kernel && a.source == b.source && a.factors == b.factors &&
         a.cold == b.cold && a.launch == b.launch &&
         (without == Without::kParameters || a.parameters == b.parameters) &&
         (without == Without::kExtents || a.extents == b.extents);
}

void MeasuredPoints::add(Measurement point) {
  for (std::size_t i = 0; i < kIndices; ++i) {
    const auto without = static_cast<Without>(i);
    std::vector<std::size_t>& places = places_.at(i)[hash_of(point.of, without)];
    // Of each size the first; of the others, under each conditions, the newest.
    if (without != Without::kExtents && point.result.kernel.median_seconds <= 0) continue;
    const auto known = std::ranges::find_if(places, [&](std::size_t place) {
      const Measurement& other = all_[place];
      if (without == Without::kExtents) return other.of == point.of;
      return same(other.of, point.of, without) && conditions_of(other) == conditions_of(point);
    });
    if (without != Without::kExtents && known != places.end()) places.erase(known);
    if (without != Without::kExtents || known == places.end()) places.push_back(all_.size());
  }
  all_.push_back(std::move(point));
}

const Measurement* MeasuredPoints::newest(const LaunchKey& key, Without without) const {
  const auto& places = places_.at(static_cast<std::size_t>(without));
  const auto found = places.find(hash_of(key, without));
  if (found == places.end()) return nullptr;
  const auto& of_hash = found->second;
  const auto newest = std::find_if(of_hash.rbegin(), of_hash.rend(), [&](std::size_t place) {
    return same(all_[place].of, key, without);
  });
  return newest == of_hash.rend() ? nullptr : &all_[*newest];
}

std::vector<const Measurement*> MeasuredPoints::all_of(const LaunchKey& key) const {
  std::vector<const Measurement*> all;
  const auto& places = places_.at(static_cast<std::size_t>(Without::kNothing));
  const auto found = places.find(hash_of(key, Without::kNothing));
  if (found == places.end()) return all;
  for (auto place = found->second.rbegin(); place != found->second.rend(); ++place) {
    if (all_[*place].of == key) all.push_back(&all_[*place]);
  }
  return all;
}

const Measurement* MeasuredPoints::newest_of(const LaunchKey& key) const {
  return newest(key, Without::kNothing);
}

const Measurement* MeasuredPoints::newest_of_kernel(const LaunchKey& key) const {
  return newest(key, Without::kParameters);
}

std::vector<ParameterSet> MeasuredPoints::sizes_of(const LaunchKey& key) const {
  std::vector<ParameterSet> sizes;
  const auto& places = places_.at(static_cast<std::size_t>(Without::kExtents));
  const auto found = places.find(hash_of(key, Without::kExtents));
  if (found == places.end()) return sizes;
  for (const std::size_t place : found->second) {
    if (same(all_[place].of, key, Without::kExtents)) sizes.push_back(all_[place].of.extents);
  }
  return sizes;
}

ChartPoint chart_point(const Measurement& point, const Problem& problem, Source source) {
  return chart_point({problem,
                      {point.result.flop, point.result.bytes},
                      point.result.kernel.median_seconds,
                      point.result.kernel.p5_seconds,
                      point.result.kernel.p95_seconds,
                      point.result.reference ? point.result.reference->median_seconds : 0},
                     source,
                     {conditions_of(point), point.machine.compiler, point.date,
                      short_reference(point.result.reference_name)});
}

double rate_of(const Measurement& point, const Problem& problem) {
  return work_of(problem, point.result) / point.result.kernel.median_seconds;
}

double reference_rate_of(const Measurement& point, const Problem& problem) {
  return point.result.reference
             ? work_of(problem, point.result) / point.result.reference->median_seconds
             : 0;
}

std::optional<double> LiveScale::value_of(const ProblemCost& work, double seconds) const {
  if (unit == RateUnit::kTime) return seconds;
  const RateBasis basis = basis_of(problem, work, peak, reference);
  return in_unit(basis.own / seconds, unit, basis);
}

void add_live(const LiveScale& scale, std::span<const TimedLaunch> launches,
              std::span<const TimedChange> changes, double end, RateFigure* figure) {
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const TimedLaunch& launch = launches[i];
    const double when = launch.at_seconds - end;
    const auto variant = static_cast<std::size_t>(launch.variant);
    if (launch.cold != figure->cold || when > 0 || launch.kernel_seconds <= 0 ||
        variant >= figure->live.size()) {
      continue;
    }
    const auto value = scale.value_of({launch.flop, launch.bytes}, launch.kernel_seconds);
    if (!value) continue;
    if (when >= -figure->live_seconds) {
      figure->live[variant].rates.push_back({when, *value, i});
    } else if (launch.variant == figure->active) {
      figure->live_most = std::max(figure->live_most, *value);
    }
  }
  for (const TimedChange& change : changes) {
    const double when = change.at_seconds - end;
    if (when > 0 || when < -figure->live_seconds) continue;
    const bool parts = change.label.starts_with("alpha ") || change.label.starts_with("beta ");
    figure->changes.push_back({when, change.label, parts});
  }
}

namespace {

// What was measured of the active variant on the launches' own GPU: another one's reference is none
// of theirs. nullptr: nothing.
const Measurement* measured_of(const LiveChart& chart, const VariantDocument& active) {
  const DeviceModel& device = chart.measured.device;
  const auto instance = instance_of(active, chart.names.catalogue, device);
  if (!instance) return nullptr;
  const auto points = all_of(chart.measured.points, session_key(*instance, chart.cold));
  const auto own = std::ranges::find_if(
      points, [&](const Measurement* point) { return point->machine.gpu == device.name; });
  return own != points.end() ? *own : nullptr;
}

LiveScale scale_of(const LiveChart& chart, const CatalogueEntry* entry,
                   const Measurement* measured) {
  LiveScale scale;
  if (entry != nullptr) {
    scale.problem = entry->problem;
    scale.unit = chart.unit.value_or(own_unit(scale.problem));
    if (!why_not_in(scale.unit, scale.problem).empty()) scale.unit = own_unit(scale.problem);
  }
  const DeviceModel& device = chart.measured.device;
  scale.peak = entry != nullptr ? peak_rate(*entry, device) : device.memory_bytes_per_second;
  if (measured != nullptr) scale.reference = reference_rate_of(*measured, scale.problem);
  return scale;
}

}  // namespace

RateFigure live_figure(const LiveChart& chart) {
  const VariantDocument& active = chart.variants[static_cast<std::size_t>(chart.active)];
  const CatalogueEntry* entry = chart.names.catalogue.find(active.kernel);
  const Measurement* own = measured_of(chart, active);
  const LiveScale scale = scale_of(chart, entry, own);
  const Measurements& measured = chart.measured;
  const double last = measured.launches.empty() ? 0 : measured.launches.back().at_seconds;
  const double end = measured.live_end.value_or(last);
  RateFigure figure;
  figure.over = RateFigure::Over::kTime;
  figure.kernel = title_of(active);
  figure.parameters = active.parameters;
  figure.parameter_words =
      with_factors_text(values_words(entry, active.parameters), active.factors);
  figure.extents = active.extents;
  figure.factors = active.factors;
  figure.active = chart.active;
  figure.cold = chart.cold;
  figure.unit = scale.unit;
  figure.is_in_own_unit = entry == nullptr || scale.unit == own_unit(scale.problem);
  for (const VariantDocument& variant : chart.variants) figure.names.push_back(title_of(variant));
  figure.reference = usual_reference(scale.problem);
  if (own != nullptr && own->result.reference) {
    figure.reference = short_reference(own->result.reference_name);
    figure.live_reference =
        scale.value_of({own->result.flop, own->result.bytes}, own->result.reference->median_seconds)
            .value_or(0);
  }
  for (std::size_t i = 0; i < chart.variants.size(); ++i) {
    figure.live.push_back({static_cast<int>(i), {}});
  }
  figure.live_seconds = measured.live_seconds;
  add_live(scale, measured.launches, measured.changes, end, &figure);
  figure.live_back = std::max(last - end, 0.0);
  figure.live_origin.under.gpu = measured.device.name;
  figure.live_origin.date = measured.date;
  return figure;
}

}  // namespace tilescope
