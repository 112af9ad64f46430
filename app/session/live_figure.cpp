#include "session/live_figure.h"

#include <algorithm>

#include "analysis/peak_rate.h"
#include "kernel/parameter_values.h"
#include "session/variant_instance.h"
#include "store/rates.h"

namespace tilescope {
namespace {

// What makes the time of a launch a value of the chart.
struct Scale {
  Problem problem = Problem::kTranspose;
  RateUnit unit = RateUnit::kTime;
  double peak = 0;                          // a rate; 0: not known
  const MeasuredPoint* measured = nullptr;  // of the active variant
  double reference_rate = 0;

  [[nodiscard]] std::optional<double> value_of(const ProblemCost& work, double seconds) const {
    if (unit == RateUnit::kTime) return seconds;
    const RateBasis basis = basis_of(problem, work, peak, reference_rate);
    return in_unit(basis.own / seconds, unit, basis);
  }
};

Scale scale_of(const LiveChart& chart, const CatalogueEntry* entry) {
  const VariantDocument& active = chart.variants[static_cast<std::size_t>(chart.active)];
  Scale scale;
  if (entry != nullptr) {
    scale.problem = entry->problem;
    scale.unit = chart.unit.value_or(own_unit(scale.problem));
    if (!why_not_in(scale.unit, scale.problem).empty()) scale.unit = own_unit(scale.problem);
  }
  const DeviceModel& device = chart.measured.device;
  scale.peak = entry != nullptr ? peak_rate(*entry, device) : device.memory_bytes_per_second;
  const auto instance = instance_of(active, chart.names.catalogue, device);
  if (!instance) return scale;
  // The launches' own GPU: another one's reference is none of theirs.
  for (const MeasuredPoint* point : all_of(chart.measured.points, key_of(*instance, chart.cold))) {
    if (point->gpu != device.name) continue;
    scale.measured = point;
    break;
  }
  if (scale.measured != nullptr) {
    scale.reference_rate = reference_rate_of(*scale.measured, scale.problem);
  }
  return scale;
}

void add_launches(const LiveChart& chart, const Scale& scale, double end, RateFigure* figure) {
  const double span = chart.measured.live_seconds;
  for (std::size_t i = 0; i < chart.variants.size(); ++i) {
    figure->live.push_back({static_cast<int>(i), {}});
  }
  for (const TimedLaunch& launch : chart.measured.launches) {
    const double when = launch.at_seconds - end;
    const auto variant = static_cast<std::size_t>(launch.variant);
    if (launch.cold != chart.cold || when > 0 || when < -span || launch.kernel_seconds <= 0 ||
        variant >= figure->live.size()) {
      continue;
    }
    const auto value = scale.value_of({launch.flop, launch.bytes}, launch.kernel_seconds);
    if (value) figure->live[variant].rates.push_back({when, *value});
  }
  for (const TimedChange& change : chart.measured.changes) {
    const double when = change.at_seconds - end;
    if (when > 0 || when < -span) continue;
    const bool parts = change.label.starts_with("alpha ") || change.label.starts_with("beta ");
    figure->changes.push_back({when, change.label, parts});
  }
}

}  // namespace

RateFigure live_figure(const LiveChart& chart) {
  const VariantDocument& active = chart.variants[static_cast<std::size_t>(chart.active)];
  const CatalogueEntry* entry = chart.names.catalogue.find(active.kernel);
  const Scale scale = scale_of(chart, entry);
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
  if (scale.measured != nullptr && scale.measured->reference) {
    figure.reference = short_reference(scale.measured->reference_name);
    figure.live_reference = scale
                                .value_of({scale.measured->flop, scale.measured->bytes},
                                          scale.measured->reference->median_seconds)
                                .value_or(0);
  }
  add_launches(chart, scale, end, &figure);
  figure.live_seconds = measured.live_seconds;
  figure.live_back = std::max(last - end, 0.0);
  figure.live_origin.under.gpu = measured.device.name;
  figure.live_origin.date = measured.date;
  return figure;
}

}  // namespace tilescope
