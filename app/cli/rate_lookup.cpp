#include "cli/rate_lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <span>

#include "analysis/peak_rate.h"
#include "cli/command.h"
#include "kernel/gemm_factors.h"
#include "scene/occupancy/occupancy_scene.h"
#include "session/recorded_combinations.h"
#include "store/history.h"
#include "store/rates.h"
#include "store/recorded_library.h"

namespace tilescope {
namespace {

// The shipped runs, and the user's history of one kernel if that is asked for.
class KnownRuns {
 public:
  static Result<KnownRuns> load(const Catalogue& catalogue, const CatalogueEntry& entry,
                                bool history, bool cold) {
    auto recorded = RecordedLibrary::load_shipped(catalogue);
    if (!recorded) return recorded.error();
    KnownRuns runs;
    runs.cold_ = cold;
    runs.recorded_ = *std::move(recorded);
    std::error_code ignored;
    if (!history || !std::filesystem::exists(History::default_file(), ignored)) return runs;
    const auto kept = History::open(History::default_file());
    if (!kept) return kept.error();
    auto found = kept->find({.kernel = entry.id});
    if (!found) return found.error();
    runs.history_ = *std::move(found);
    const std::string hash = kernel_source_hash(entry.source);
    std::erase_if(runs.history_, [&](const HistoryEntry& each) {
      return each.run.kernel != entry.id || each.run.source_hash != hash || each.run.cold != cold ||
             !each.run.factors.empty();
    });
    return runs;
  }

  [[nodiscard]] ChartQuestions questions() {
    return {[this](const CatalogueEntry& entry, const ParameterSet& parameters,
                   const ParameterSet& extents) { return point_of(entry, parameters, extents); },
            [this](const CatalogueEntry& entry, const ParameterSet& parameters) {
              std::vector<ParameterSet> sizes = recorded_.sizes(entry, parameters, cold_);
              for (const HistoryEntry& each : history_) {
                if (each.run.parameters == parameters) sizes.push_back(each.run.extents);
              }
              return sizes;
            },
            [this](const CatalogueEntry& entry, const ParameterSet& parameters,
                   const ParameterSet& extents) -> std::optional<ChartQuestions::Published> {
              const PublishedFigure* figure = recorded_.published(entry, parameters, extents);
              if (figure == nullptr) return std::nullopt;
              ChartQuestions::Published published;
              published.mark.rate = rate_of(entry.problem, *figure);
              published.mark.label = short_gpu(figure->gpu);
              published.about = figure->parameters;
              return published;
            }};
  }

  // At this size, the newest of the history before what is recorded.
  [[nodiscard]] std::vector<TunedRow> combinations(const CatalogueEntry& entry,
                                                   const ParameterSet& extents) const {
    std::vector<TunedRow> rows;
    const auto add = [&rows](TunedRow row) {
      if (std::ranges::find(rows, row.parameters, &TunedRow::parameters) == rows.end()) {
        rows.push_back(std::move(row));
      }
    };
    for (const HistoryEntry& each : history_) {
      if (each.run.extents == extents) add(tuned_row(each.run, each.machine));
    }
    for (TunedRow& row : recorded_combinations(recorded_, entry, extents)) add(std::move(row));
    return rows;
  }

 private:
  std::optional<ChartPoint> point_of(const CatalogueEntry& entry, const ParameterSet& parameters,
                                     const ParameterSet& extents) {
    for (const HistoryEntry& each : history_) {  // newest first
      if (each.run.parameters != parameters || each.run.extents != extents) continue;
      return point(entry, each.run, each.machine);
    }
    const RecordedLibrary::Found found = recorded_.find(entry, parameters, extents, cold_);
    if (found.run == nullptr) return std::nullopt;
    return point(entry, *found.run, *found.file);
  }

  static ChartPoint point(const CatalogueEntry& entry, const RecordedRun& run,
                          const RecordedMachine& machine) {
    return chart_point(
        {entry.problem,
         {run.flop, run.bytes},
         run.times.median_seconds,
         run.times.p5_seconds,
         run.times.p95_seconds,
         run.reference ? run.reference->median_seconds : 0},
        Source::kRecorded,
        {machine.gpu, machine.compiler, run.date, short_reference(run.reference_name)});
  }

  RecordedLibrary recorded_;
  std::vector<HistoryEntry> history_;
  bool cold_ = true;
};

const ParameterSpec* spec_of(const CatalogueEntry& entry, const std::string& name) {
  const auto found = std::ranges::find(entry.parameters, name, &ParameterSpec::name);
  return found == entry.parameters.end() ? nullptr : &*found;
}

std::string axes_of(const CatalogueEntry& entry) {
  std::string names = "size";
  for (const ParameterSpec& spec : entry.parameters) names += ", " + spec.name;
  return names;
}

// The catalogue's kernel that the request is about.
Result<const CatalogueEntry*> kept_entry(const Resources& resources, const RateRequest& request) {
  const KernelInstance& instance = request.instance;
  const CatalogueEntry* entry = resources.catalogue.find(instance.id);
  if (entry == nullptr) {
    return usage(fmt::format("no throughput is kept of {}", instance.id),
                 "--view throughput and tuner take a kernel of the catalogue: tilescope list");
  }
  if (!factors_of(instance).empty()) {
    return usage(
        fmt::format("no throughput is charted with {}", factors_text(factors_of(instance))),
        "Leave --alpha and --beta away, or see tilescope history");
  }
  return entry;
}

}  // namespace

Result<std::shared_ptr<const RateFigure>> rate_figure_of(const Resources& resources,
                                                         const RateRequest& request) {
  const KernelInstance& instance = request.instance;
  const auto kept = kept_entry(resources, request);
  if (!kept) return kept.error();
  const CatalogueEntry* entry = *kept;
  const RateUnit unit = request.unit.value_or(own_unit(entry->problem));
  if (const std::string why = why_not_in(unit, entry->problem); !why.empty()) {
    return usage(fmt::format("{} has no {}", instance.id, name_of(unit)), why);
  }
  auto runs = KnownRuns::load(resources.catalogue, *entry, request.history, request.cold);
  if (!runs) return runs.error();
  const ChartVariant variant{0, entry, instance.parameters, instance.extents};
  const std::span<const ChartVariant> variants(&variant, 1);
  const bool by_size =
      request.over == "size" || (request.over.empty() && entry->parameters.empty());
  RateChart chart;
  std::string parameter;
  if (by_size) {
    chart = chart_over_size(variants, &variant, runs->questions());
  } else {
    const ParameterSpec* spec =
        request.over.empty() ? &entry->parameters.front() : spec_of(*entry, request.over);
    if (spec == nullptr) {
      return usage(fmt::format("{} has no parameter {}", instance.id, request.over),
                   "--over takes one of " + axes_of(*entry));
    }
    parameter = spec->name;
    chart = chart_over_parameter(variants, &variant, *spec, runs->questions());
  }
  RateFigure figure = rate_figure(variant, std::move(parameter), unit, std::move(chart),
                                  {usual_reference(entry->problem),
                                   peak_rate(*entry, request.device), short_name(request.device)});
  figure.cold = request.cold;
  return std::make_shared<const RateFigure>(std::move(figure));
}

Result<std::shared_ptr<const TunedFigure>> tuned_figure_of(const Resources& resources,
                                                           const RateRequest& request) {
  const auto entry = kept_entry(resources, request);
  if (!entry) return entry.error();
  const auto runs = KnownRuns::load(resources.catalogue, **entry, request.history, true);
  if (!runs) return runs.error();
  const ParameterSet& extents = request.instance.extents;
  return std::make_shared<const TunedFigure>(
      tuned_figure(**entry, request.instance.parameters, extents,
                   usual_reference((*entry)->problem), runs->combinations(**entry, extents)));
}

}  // namespace tilescope
