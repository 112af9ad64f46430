#include "ui/charts/chart_figures.h"

#include <algorithm>

#include "scene/occupancy/occupancy_scene.h"
#include "store/measured_run.h"
#include "ui/charts/chart_data.h"
#include "ui/desk/rates.h"

namespace tilescope {
namespace {

// On Workbench::now_seconds()'s clock: where the window's chart ends.
double live_end(const Desk& desk) { return desk.charts.live_end.value_or(desk.now); }

// So many seconds before its end.
bool is_in_sight(const Desk& desk, double age) {
  return age >= 0 && age <= desk.charts.live_seconds;
}

void add_live(RateFigure& figure, const Desk& desk, const Variant& active) {
  const Problem problem = problem_of(active);
  figure.over = RateFigure::Over::kTime;
  for (int i = 0; i < static_cast<int>(desk.bench.variants().size()); ++i) {
    figure.live.push_back({i, live_rates(desk, i, problem)});
  }
  figure.live_seconds = desk.charts.live_seconds;
  figure.live_back = desk.now - live_end(desk);
  for (const LiveChange& change : desk.bench.changes()) {
    const double age = live_end(desk) - change.time_seconds;
    if (is_in_sight(desk, age)) figure.changes.push_back({-age, change.label});
  }
  if (active.measured && active.measured->reference) {
    figure.live_reference =
        rate_of(problem, *active.measured, active.measured->reference->median_seconds);
  }
  const auto device = desk.bench.gpu().device();
  figure.live_origin.gpu = device && device->ok() ? (*device)->name : std::string();
  figure.live_origin.date = today();
}

}  // namespace

const ParameterSpec* charted_parameter(const Desk& desk) {
  const CatalogueEntry* entry = desk.bench.active().entry;
  if (entry == nullptr || entry->parameters.empty()) return nullptr;
  const auto focused =
      std::ranges::find(entry->parameters, desk.focused_parameter, &ParameterSpec::name);
  return focused != entry->parameters.end() ? &*focused : &entry->parameters.front();
}

std::string reference_beside(const Variant& variant) {
  if (variant.measured && !variant.measured->reference_name.empty()) {
    return short_reference(variant.measured->reference_name);
  }
  return usual_reference(problem_of(variant));
}

std::vector<LiveRate> live_rates(const Desk& desk, int variant, Problem problem) {
  std::vector<LiveRate> rates;
  for (const LivePoint& point : desk.bench.live()) {
    const double age = live_end(desk) - point.time_seconds;
    const double work = problem == Problem::kGemm ? point.work.flop : point.work.bytes;
    if (point.variant != variant || !is_in_sight(desk, age) || point.kernel_seconds <= 0 ||
        work <= 0) {
      continue;
    }
    rates.push_back({-age, work / point.kernel_seconds});
  }
  return rates;
}

std::shared_ptr<const RateFigure> chart_figure(const Desk& desk, ChartKind kind) {
  const Variant& active = desk.bench.active();
  const ParameterSpec* spec = charted_parameter(desk);
  if (active.entry == nullptr || (kind == ChartKind::kOverParameter && spec == nullptr)) {
    return nullptr;
  }
  RateChart chart;
  if (kind == ChartKind::kOverParameter) chart = chart_over_parameter(desk, *spec);
  if (kind == ChartKind::kOverSize) chart = chart_over_size(desk);
  const DeviceModel& device = desk.bench.device_model();
  auto figure = std::make_shared<RateFigure>(rate_figure(
      {desk.bench.active_index(), active.entry, active.parameters, active.extents},
      kind == ChartKind::kOverParameter ? spec->name : std::string(),
      rate_unit(active.entry->problem), std::move(chart),
      {reference_beside(active), peak_rate(*active.entry, device), short_name(device)}));
  if (kind == ChartKind::kLive) add_live(*figure, desk, active);
  figure->names.clear();
  for (const Variant& variant : desk.bench.variants()) {
    figure->names.push_back(variant.entry != nullptr ? variant.entry->id : variant.file_name());
  }
  if (figure->empty()) return nullptr;
  return figure;
}

}  // namespace tilescope
