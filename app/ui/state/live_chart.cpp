#include "ui/state/live_chart.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "kernel/launch/gemm_factors.h"
#include "scene/rates/rate_unit.h"
#include "store/rates.h"
#include "ui/state/chart_data.h"
#include "ui/state/measurements.h"

namespace tilescope {
namespace {

constexpr double kLeastSeconds = 5;
constexpr double kMostSeconds = 3600;
constexpr double kUsualSeconds = 60;

LiveScale live_scale(const WindowState& state) {
  const Variant& active = state.workbench.active();
  LiveScale scale;
  scale.problem = problem_of(active);
  if (!active.own) scale.unit = shown_unit(state, scale.problem);
  scale.peak = peak_rate(active, state.workbench.device_model());
  const auto& measured = active.measured;
  if (measured && measured->reference) {
    scale.reference = rate_of(scale.problem, *measured, measured->reference->median_seconds);
  }
  return scale;
}

bool is_of(const KernelInstance& instance, const ChartKey& key) {
  return instance.id == key.kernel && instance.parameters == key.parameters &&
         instance.extents == key.extents && factors_of(instance) == key.factors;
}

}  // namespace

RateFigure present_figure(const WindowState& state) {
  const Variant& active = state.workbench.active();
  const LiveScale scale = live_scale(state);
  const double end = state.charts.live_end.value_or(state.now);
  RateFigure figure;
  figure.over = RateFigure::Over::kTime;
  figure.unit = scale.unit;
  figure.cold = state.workbench.runs().cold();
  figure.active = state.workbench.active_index();
  figure.reference = reference_beside(active);
  if (active.measured && active.measured->reference) {
    figure.live_reference = scale
                                .value_of({active.measured->flop, active.measured->bytes},
                                          active.measured->reference->median_seconds)
                                .value_or(0);
  }
  figure.live_seconds = state.charts.live_seconds;
  figure.live_back = state.now - end;
  figure.live_present = true;
  for (int i = 0; i < static_cast<int>(state.workbench.variants().size()); ++i) {
    figure.live.push_back({i, {}});
    figure.names.emplace_back();
  }
  const LiveLaunches& live = state.workbench.runs().live();
  add_live(scale, live.launches(), live.changes(), end, &figure);
  if (!state.charts.hovered) return figure;
  for (LiveSeries& series : figure.live) {
    for (LiveRate& rate : series.rates) {
      rate.lit = is_of(live.instance(rate.launch), *state.charts.hovered);
    }
  }
  return figure;
}

void zoom_live(ChartState& charts, float steps, double now) {
  const double before = charts.live_seconds;
  charts.live_seconds =
      std::clamp(before * std::pow(1.25, -static_cast<double>(steps)), kLeastSeconds, kMostSeconds);
  if (charts.live_end) scroll_live(charts, (charts.live_seconds - before) / 2, now);
}

void scroll_live(ChartState& charts, double seconds, double now) {
  const double end = charts.live_end.value_or(now) + seconds;
  charts.live_end = std::max(end, 0.0);
  if (end >= now) charts.live_end.reset();
}

void follow_present(ChartState& charts) {
  charts.live_end.reset();
  charts.live_seconds = kUsualSeconds;
}

ChartKey key_of(const KernelInstance& instance) {
  return {instance.id, instance.parameters, instance.extents, factors_of(instance)};
}

}  // namespace tilescope
