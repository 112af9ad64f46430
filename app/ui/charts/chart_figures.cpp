#include "ui/charts/chart_figures.h"

#include <algorithm>

#include "analysis/peak_rate.h"
#include "kernel/parameter_values.h"
#include "scene/occupancy/occupancy_scene.h"
#include "session/variant_instance.h"
#include "store/measured_run.h"
#include "ui/charts/chart_data.h"
#include "ui/charts/live_values.h"
#include "ui/desk/rates.h"

namespace tilescope {
namespace {

void add_live(RateFigure& figure, const Desk& desk) {
  const LiveScale scale = live_scale(desk);
  const LiveStretch stretch = live_stretch(desk);
  figure.over = RateFigure::Over::kTime;
  figure.unit = scale.unit;
  for (int i = 0; i < static_cast<int>(desk.bench.variants().size()); ++i) {
    LiveSeries series{i, {}};
    for (const LiveSample& sample : live_samples(desk, i, stretch, scale)) {
      series.rates.push_back({sample.when, sample.value});
    }
    figure.live.push_back(std::move(series));
  }
  figure.live_seconds = stretch.seconds;
  figure.live_back = desk.now - stretch.end;
  for (const LiveChange& change : desk.bench.changes()) {
    const double when = change.time_seconds - stretch.end;
    if (when <= 0 && when >= -stretch.seconds) figure.changes.push_back({when, change.label});
  }
  figure.live_reference = scale.reference.value_or(0);
  const auto device = desk.bench.gpu().device();
  figure.live_origin.gpu = device && device->ok() ? (*device)->name : std::string();
  figure.live_origin.date = today();
}

// Of the catalogue's kernels alone: of the user's own there are launches, but no runs.
RateFigure figure_of_runs(const Desk& desk, const ParameterSpec* spec, RateChart chart) {
  const Variant& active = desk.bench.active();
  const DeviceModel& device = desk.bench.device_model();
  RateFigure figure =
      rate_figure({desk.bench.active_index(), active.entry, active.parameters, active.extents},
                  spec != nullptr ? spec->name : std::string(),
                  shown_unit(desk, active.entry->problem), std::move(chart),
                  {reference_beside(active), peak_rate(*active.entry, device), short_name(device)});
  if (active.edited) figure.kernel = edited_id(figure.kernel);
  return figure;
}

RateFigure live_figure(const Desk& desk) {
  const Variant& active = desk.bench.active();
  RateFigure figure;
  figure.kernel = active.entry != nullptr ? active.entry->id : active.file_name();
  figure.parameters = active.parameters;
  figure.parameter_words = values_words(active.entry, active.parameters);
  figure.extents = active.extents;
  figure.active = desk.bench.active_index();
  figure.reference = reference_beside(active);
  add_live(figure, desk);
  return figure;
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

bool nothing_to_chart(const Desk& desk) {
  const auto device = desk.bench.gpu().device();
  if (!device || device->ok() || !desk.bench.live().empty()) return false;
  if (!desk.bench.cold()) return false;  // the switch back stands there
  if (desk.bench.active().measured || !desk.bench.active().has_kernel()) return false;
  const ParameterSpec* spec = charted_parameter(desk);
  return (spec == nullptr || chart_over_parameter(desk, *spec).series.empty()) &&
         chart_over_size(desk).series.empty();
}

std::shared_ptr<const RateFigure> chart_figure(const Desk& desk, ChartKind kind) {
  const ParameterSpec* spec = charted_parameter(desk);
  const bool has_runs = desk.bench.active().entry != nullptr;
  auto figure = std::make_shared<RateFigure>();
  if (kind == ChartKind::kLive) {
    *figure = live_figure(desk);
  } else if (kind == ChartKind::kOverSize && has_runs) {
    *figure = figure_of_runs(desk, nullptr, chart_over_size(desk));
  } else if (spec != nullptr) {
    *figure = figure_of_runs(desk, spec, chart_over_parameter(desk, *spec));
  }
  figure->cold = desk.bench.cold();
  figure->names.clear();
  for (const Variant& variant : desk.bench.variants()) {
    figure->names.push_back(variant.entry != nullptr ? variant.entry->id : variant.file_name());
  }
  if (figure->empty()) return nullptr;
  return figure;
}

}  // namespace tilescope
