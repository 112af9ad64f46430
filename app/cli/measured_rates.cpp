#include "cli/measured_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "analysis/time/machine_rates.h"
#include "cli/command.h"
#include "cli/kernel_arguments.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/occupancy/occupancy_scene.h"
#include "session/document.h"
#include "session/known_measurements.h"
#include "session/readings.h"
#include "store/history.h"
#include "store/rates.h"
#include "store/recorded_library.h"
#include "store/source_digest.h"

namespace tilescope {
namespace {

// At the launch's size, the newest of the history before what is recorded.
std::vector<TunedRow> combinations(const KeptMeasurements& kept, const ChartVariant& of) {
  std::vector<TunedRow> rows;
  const auto add = [&rows](TunedRow row) {
    const bool is_there = std::ranges::any_of(rows, [&](const TunedRow& newer) {
      return newer.parameters == row.parameters && newer.gpu == row.gpu &&
             newer.driver == row.driver;
    });
    if (!is_there) rows.push_back(std::move(row));
  };
  LaunchKey key{of.entry->id, kernel_source_hash(of.entry->source), {}, of.extents, of.factors};
  for (const HistoryEntry& each : kept.history) {
    key.parameters = each.run.of.parameters;
    if (of.edited.empty() && each.run.of == key) add(tuned_row(each.run));
  }
  for (TunedRow& row : recorded_combinations(kept.recorded, *of.entry, of.extents, of.factors)) {
    add(std::move(row));
  }
  return rows;
}

const ParameterSpec* spec_of(const CatalogueEntry& entry, const std::string& name) {
  const auto found = std::ranges::find(entry.parameters, name, &ParameterSpec::name);
  return found == entry.parameters.end() ? nullptr : &*found;
}

std::string axes_of(const CatalogueEntry& entry) {
  std::string names = "size";
  for (const ParameterSpec& spec : entry.parameters) names += ", " + spec.name;
  return names;
}

// The catalogue's kernel that the request is about, at its point.
Result<ChartVariant> kept_variant(const Resources& resources, const RateRequest& request) {
  const KernelInstance& instance = request.instance;
  const auto of_session =
      std::ranges::find(request.variants, request.active, &ChartVariant::variant);
  if (of_session != request.variants.end()) return *of_session;
  const CatalogueEntry* entry = resources.catalogue.find(instance.id);
  if (entry == nullptr) {
    return usage(fmt::format("there is no recorded throughput of {}", instance.id),
                 "--view throughput and tuner need a catalogue kernel: tilescope list");
  }
  return ChartVariant{0, entry, instance.parameters, instance.extents, factors_of(instance)};
}

}  // namespace

Result<std::shared_ptr<const RateFigure>> rate_figure_of(const Resources& resources,
                                                         const RateRequest& request) {
  const auto kept = kept_variant(resources, request);
  if (!kept) return kept.error();
  const ChartVariant& active = *kept;
  const CatalogueEntry* entry = active.entry;
  const RateUnit unit = request.unit.value_or(own_unit(entry->problem));
  if (const std::string why = why_not_in(unit, entry->problem); !why.empty()) {
    return usage(fmt::format("{} has no {}", entry->id, name_of(unit)), why);
  }
  std::vector<ChartVariant> variants = request.variants;
  if (variants.empty()) variants = {active};
  const auto runs = kept_measurements(resources.catalogue, request.history);
  if (!runs) return runs.error();
  const KnownMeasurements known = runs->known(request.measured);
  ChartQuestions questions;
  questions.points_of = [&](const ChartVariant& at) {
    std::vector<ChartPoint> points;
    for (const auto& [measurement, source] : known.of(at, request.cold)) {
      points.push_back(chart_point(*measurement, at.entry->problem, source));
    }
    return points;
  };
  questions.sizes_of = [&](const ChartVariant& at) { return known.sizes_of(at, request.cold); };
  questions.published_of = [&](const ChartVariant& at) { return known.published(at); };
  questions.peak_of = [&](const ChartVariant& of, const std::string& gpu) {
    return peak_rate_on(gpu, *of.entry, request.device, resources.devices);
  };
  if (request.measured != nullptr && !request.measured->points.empty()) {
    const Machine& last = request.measured->points.back().machine;
    questions.own = Conditions{.gpu = last.gpu, .driver = last.driver};
  }
  if (request.over == "time") {
    return usage("only a session has launches over time", "Give one: --session FILE");
  }
  const bool by_size =
      request.over == "size" || (request.over.empty() && entry->parameters.empty());
  RateChart chart;
  std::string parameter;
  if (by_size) {
    chart = chart_over_size(variants, &active, questions);
  } else {
    const ParameterSpec* spec =
        request.over.empty() ? &entry->parameters.front() : spec_of(*entry, request.over);
    if (spec == nullptr) {
      return usage(fmt::format("{} has no parameter {}", entry->id, request.over),
                   "--over takes one of " + axes_of(*entry));
    }
    parameter = spec->name;
    chart = chart_over_parameter(variants, &active, *spec, questions);
  }
  // The peak is that of the GPU whose points the chart is about.
  const bool has_own = !chart.series.empty() && chart.series.front().apart.empty();
  const std::string gpu = has_own ? chart.series.front().under.gpu : request.device.name;
  const double peak = peak_rate_on(gpu, *entry, request.device, resources.devices);
  RateFigure figure =
      rate_figure(active, std::move(parameter), unit, std::move(chart),
                  {usual_reference(entry->problem), peak,
                   gpu == request.device.name ? short_name(request.device) : short_gpu(gpu)});
  figure.cold = request.cold;
  if (!request.names.empty()) figure.names = request.names;
  if (!active.edited.empty()) figure.kernel = edited_id(figure.kernel);
  return std::make_shared<const RateFigure>(std::move(figure));
}

Result<std::shared_ptr<const TunedFigure>> tuned_figure_of(const Resources& resources,
                                                           const RateRequest& request) {
  const auto kept = kept_variant(resources, request);
  if (!kept) return kept.error();
  const auto runs = kept_measurements(resources.catalogue, request.history);
  if (!runs) return runs.error();
  return std::make_shared<const TunedFigure>(
      tuned_figure(*kept, usual_reference(kept->entry->problem), combinations(*runs, *kept)));
}

KnownMeasurements KeptMeasurements::known(const Measurements* session) const {
  return {
      .recorded = recorded, .opened = session, .opened_as = Source::kMeasured, .history = history};
}

Result<KeptMeasurements> kept_measurements(const Catalogue& catalogue, bool with_history,
                                           std::optional<int> compute_capability) {
  auto recorded = RecordedLibrary::load_shipped(catalogue);
  if (!recorded) return recorded.error();
  KeptMeasurements kept{*std::move(recorded), {}};
  std::error_code ignored;
  if (!with_history || !std::filesystem::exists(History::default_file(), ignored)) return kept;
  const auto history = History::open(History::default_file());
  if (!history) return history.error();
  auto entries = history->find({});
  if (!entries) return entries.error();
  kept.history = *std::move(entries);
  std::erase_if(kept.history, [&](const HistoryEntry& each) {
    return compute_capability && each.run.machine.compute_capability != *compute_capability;
  });
  return kept;
}

}  // namespace tilescope
