#include "cli/measured_rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <span>
#include <system_error>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/study_counts.h"
#include "analysis/time/machine_rates.h"
#include "cli/command.h"
#include "cli/kernel_arguments.h"
#include "core/parallel.h"
#include "kernel/launch/gemm_factors.h"
#include "scene/occupancy/occupancy_scene.h"
#include "session/readings.h"
#include "session/variant_instance.h"
#include "store/history.h"
#include "store/rates.h"
#include "store/recorded_library.h"

namespace tilescope {
namespace {

// The shipped runs, and the user's history of one kernel if that is asked for.
class KnownRuns {
 public:
  static Result<KnownRuns> load(const Catalogue& catalogue, std::span<const ChartVariant> variants,
                                const RateRequest& request, bool cold) {
    auto recorded = RecordedLibrary::load_shipped(catalogue);
    if (!recorded) return recorded.error();
    KnownRuns runs;
    runs.cold_ = cold;
    runs.measured_ = request.measured;
    runs.recorded_ = *std::move(recorded);
    std::error_code ignored;
    if (!request.history || !std::filesystem::exists(History::default_file(), ignored)) return runs;
    const auto kept = History::open(History::default_file());
    if (!kept) return kept.error();
    std::set<const CatalogueEntry*> entries;
    for (const ChartVariant& variant : variants) {
      if (!entries.insert(variant.entry).second) continue;
      if (Status added = runs.add_history(*kept, *variant.entry); !added) return added.error();
    }
    return runs;
  }

  [[nodiscard]] ChartQuestions questions() const {
    return {[this](const ChartVariant& at) { return points_of(at); },
            [this](const ChartVariant& at) { return sizes_of(at); },
            [this](const ChartVariant& at) -> std::optional<ChartQuestions::Published> {
              if (!at.edited.empty()) return std::nullopt;
              const PublishedFigure* figure =
                  recorded_.published(*at.entry, at.parameters, at.extents, at.factors);
              if (figure == nullptr) return std::nullopt;
              ChartQuestions::Published published;
              published.mark.rate = rate_of(at.entry->problem, *figure);
              published.mark.label = short_gpu(figure->gpu);
              published.about = figure->parameters;
              return published;
            }};
  }

  // At its size, the newest of the history before what is recorded.
  [[nodiscard]] std::vector<TunedRow> combinations(const ChartVariant& of) const {
    std::vector<TunedRow> rows;
    const auto add = [&rows](TunedRow row) {
      const bool is_there = std::ranges::any_of(rows, [&](const TunedRow& newer) {
        return newer.parameters == row.parameters && newer.gpu == row.gpu &&
               newer.driver == row.driver;
      });
      if (!is_there) rows.push_back(std::move(row));
    };
    for (const HistoryEntry& each : history_) {
      if (is_of(each.run, of) && each.run.extents == of.extents) {
        add(tuned_row(each.run, each.machine));
      }
    }
    for (TunedRow& row : recorded_combinations(recorded_, *of.entry, of.extents, of.factors)) {
      add(std::move(row));
    }
    return rows;
  }

 private:
  // Of the kernel as it ships, with these factors; parameters and size are another matter.
  static bool is_of(const RecordedRun& run, const ChartVariant& at) {
    return at.edited.empty() && run.kernel == at.entry->id && run.factors == at.factors;
  }

  Status add_history(const History& kept, const CatalogueEntry& entry) {
    auto found = kept.find({.kernel = entry.id});
    if (!found) return found.error();
    const std::string hash = kernel_source_hash(entry.source);
    for (HistoryEntry& each : *found) {
      const bool same = each.run.kernel == entry.id && each.run.source_hash == hash;
      if (same && each.run.cold == cold_) history_.push_back(std::move(each));
    }
    return ok_status();
  }

  [[nodiscard]] std::vector<ParameterSet> sizes_of(const ChartVariant& of) const {
    std::vector<ParameterSet> sizes;
    if (of.edited.empty()) sizes = recorded_.sizes(*of.entry, of.parameters, cold_, of.factors);
    for (const HistoryEntry& each : history_) {
      if (is_of(each.run, of) && each.run.parameters == of.parameters) {
        sizes.push_back(each.run.extents);
      }
    }
    if (measured_ == nullptr) return sizes;
    PointKey key = key_of(of, cold_);
    for (const MeasuredPoint& each : measured_->points) {
      key.extents = each.of.extents;
      if (each.of == key) sizes.push_back(key.extents);
    }
    return sizes;
  }

  [[nodiscard]] std::vector<ChartPoint> points_of(const ChartVariant& at) const {
    std::vector<ChartPoint> points;
    if (measured_ != nullptr) {
      for (const MeasuredPoint* each : all_of(measured_->points, key_of(at, cold_))) {
        points.push_back(chart_point(*each, at.entry->problem, Source::kMeasured));
      }
    }
    for (const HistoryEntry& each : history_) {  // newest first
      if (!is_of(each.run, at) || each.run.parameters != at.parameters ||
          each.run.extents != at.extents) {
        continue;
      }
      points.push_back(point(*at.entry, each.run, each.machine));
    }
    if (!at.edited.empty()) return points;
    for (const auto& [file, run] :
         recorded_.find_all(*at.entry, at.parameters, at.extents, cold_, at.factors)) {
      points.push_back(point(*at.entry, *run, *file));
    }
    return points;
  }

  static ChartPoint point(const CatalogueEntry& entry, const RecordedRun& run,
                          const RecordedMachine& machine) {
    return chart_point({entry.problem,
                        {run.flop, run.bytes},
                        run.times.median_seconds,
                        run.times.p5_seconds,
                        run.times.p95_seconds,
                        run.reference ? run.reference->median_seconds : 0},
                       Source::kRecorded,
                       {conditions_of(run, machine), machine.compiler, run.date,
                        short_reference(run.reference_name)});
  }

  RecordedLibrary recorded_;
  std::vector<HistoryEntry> history_;
  const Measurements* measured_ = nullptr;
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
  auto runs = KnownRuns::load(resources.catalogue, variants, request, request.cold);
  if (!runs) return runs.error();
  ChartQuestions questions = runs->questions();
  questions.peak_of = [&](const ChartVariant& of, const std::string& gpu) {
    return peak_rate_on(gpu, *of.entry, request.device, resources.devices);
  };
  if (request.measured != nullptr && !request.measured->points.empty()) {
    const Conditions last = conditions_of(request.measured->points.back());
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
  const auto runs = KnownRuns::load(resources.catalogue, {&*kept, 1}, request, true);
  if (!runs) return runs.error();
  return std::make_shared<const TunedFigure>(
      tuned_figure(*kept, usual_reference(kept->entry->problem), runs->combinations(*kept)));
}

std::shared_ptr<const RooflineData> roofline_data_of(const RooflineRequest& request) {
  const KernelInstance& instance = request.instance;
  std::vector<KnownTime> known = request.times.of(instance, request.entry);
  if (request.entry == nullptr && known.empty()) return nullptr;
  InputCache inputs;
  const auto moved = [&](const CatalogueEntry& step, const ParameterSet& parameters) {
    if (request.count == CountMoved::kOff) return 0.0;
    if (!step.problem->rated_in_flop) return 0.0;  // its rate is in bytes: no intensity to show
    const auto made =
        instantiate(step, parameters, instance.extents, factors_of(instance), request.device);
    if (!made) return 0.0;
    StudyRequest study;
    study.instance = *made;
    study.inputs = &inputs;
    study.compute_capability = request.device.compute_capability;
    study.workers = processor_count();
    const auto bytes = moved_bytes(study, {});
    return bytes ? *bytes : 0.0;
  };
  return std::make_shared<const RooflineData>(
      roofline_data({request.catalogue, request.entry, instance, request.device}, std::move(known),
                    {[&](const CatalogueEntry& step, const ParameterSet& parameters) {
                       return request.times.of(step, parameters, instance);
                     },
                     moved}));
}

Result<KeptTimes> kept_times(const Catalogue& catalogue, int compute_capability,
                             bool with_history) {
  auto recorded = RecordedLibrary::load_shipped(catalogue);
  if (!recorded) return recorded.error();
  KeptTimes kept{*std::move(recorded), {}};
  std::error_code ignored;
  if (!with_history || !std::filesystem::exists(History::default_file(), ignored)) return kept;
  const auto history = History::open(History::default_file());
  if (!history) return history.error();
  auto entries = history->find({});
  if (!entries) return entries.error();
  kept.history = *std::move(entries);
  std::erase_if(kept.history, [&](const HistoryEntry& each) {
    return each.machine.compute_capability != compute_capability;
  });
  return kept;
}

}  // namespace tilescope
