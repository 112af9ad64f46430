#include "ui/charts/live_values.h"

#include "store/rates.h"
#include "ui/desk/rates.h"

namespace tilescope {

LiveScale live_scale(const Desk& desk) {
  const Variant& active = desk.bench.active();
  const Problem problem = problem_of(active);
  LiveScale scale;
  scale.unit = active.own ? RateUnit::kTime : shown_unit(desk, problem);
  scale.peak = peak_rate(active, desk.bench.device_model());
  const auto& measured = active.measured;
  if (!measured || !measured->reference) return scale;
  scale.reference_rate = rate_of(problem, *measured, measured->reference->median_seconds);
  scale.reference = in_unit(
      scale.reference_rate, scale.unit,
      basis_of(problem, {measured->flop, measured->bytes}, scale.peak, scale.reference_rate));
  return scale;
}

LiveStretch live_stretch(const Desk& desk) {
  return {desk.charts.live_end.value_or(desk.now), desk.charts.live_seconds};
}

std::vector<LiveSample> live_samples(const Desk& desk, int variant, const LiveStretch& stretch,
                                     const LiveScale& scale) {
  const Problem problem = problem_of(desk.bench.active());
  std::vector<LiveSample> samples;
  for (const LivePoint& point : desk.bench.live()) {
    const double when = point.time_seconds - stretch.end;
    if (point.variant != variant || point.cold != desk.bench.cold() || when > 0 ||
        when < -stretch.seconds || point.kernel_seconds <= 0) {
      continue;
    }
    const RateBasis basis = basis_of(problem, point.work, scale.peak, scale.reference_rate);
    const auto value = scale.unit == RateUnit::kTime
                           ? std::optional(point.kernel_seconds)
                           : in_unit(basis.own / point.kernel_seconds, scale.unit, basis);
    if (value) samples.push_back({when, *value, point.instance.get()});
  }
  return samples;
}

}  // namespace tilescope
