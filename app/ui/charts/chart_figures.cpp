#include "ui/charts/chart_figures.h"

#include <algorithm>

#include "kernel/parameter_values.h"
#include "session/live_figure.h"
#include "session/variant_instance.h"
#include "ui/charts/chart_data.h"
#include "ui/desk/desk_measurements.h"
#include "ui/desk/rates.h"

namespace tilescope {
namespace {

// Of the catalogue's kernels alone: of the user's own there are launches, but no runs.
RateFigure figure_of_runs(const Desk& desk, const ParameterSpec* spec, RateChart chart) {
  const Variant& active = desk.bench.active();
  const ChartPeak peak = peak_of(desk, chart);
  RateFigure figure = rate_figure(
      {desk.bench.active_index(), active.entry, active.parameters, active.extents, active.factors},
      spec != nullptr ? spec->name : std::string(), shown_unit(desk, active.entry->problem),
      std::move(chart), {reference_beside(active), peak.rate, peak.device});
  if (active.edited) figure.kernel = edited_id(figure.kernel);
  return figure;
}

// As the document's file has it, so that a command draws the same.
RateFigure live_figure_of(const Desk& desk) {
  std::vector<VariantDocument> variants;
  for (const Variant& variant : desk.bench.variants()) {
    variants.push_back(Workbench::document_of(variant));
  }
  const Measurements measured = measurements_of(desk);
  return live_figure({variants,
                      desk.bench.active_index(),
                      desk.bench.cold(),
                      measured,
                      desk.preferences.rate_unit,
                      {desk.bench.catalogue(), *desk.bench.devices()}});
}

std::string name_of(const Variant& variant) {
  if (variant.entry != nullptr) return variant.entry->id;
  return variant.has_kernel() ? variant.file_name() : "no kernel";
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
  if (desk.opened != nullptr && !desk.opened->launches.empty()) return false;
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
    *figure = live_figure_of(desk);
  } else if (kind == ChartKind::kOverSize && has_runs) {
    *figure = figure_of_runs(desk, nullptr, chart_over_size(desk, Source::kMeasured));
  } else if (spec != nullptr) {
    *figure = figure_of_runs(desk, spec, chart_over_parameter(desk, *spec, Source::kMeasured));
  }
  figure->cold = desk.bench.cold();
  figure->names.clear();
  for (const Variant& variant : desk.bench.variants()) {
    figure->names.push_back(name_of(variant));
  }
  if (figure->empty()) return nullptr;
  return figure;
}

}  // namespace tilescope
