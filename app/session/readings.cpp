#include "session/readings.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "kernel/launch/gemm_factors.h"
#include "store/rates.h"
#include "store/source_digest.h"

namespace tilescope {
namespace {

// The newest that fits; the text's digest, which takes longest, is asked for last.
template <typename Read, typename Fits>
const Read* newest_of(std::span<const Read> read, const KernelInstance& instance, Fits fits) {
  std::optional<LaunchKey> key;
  for (auto it = read.rbegin(); it != read.rend(); ++it) {
    const bool alike = it->of.kernel == instance.id && it->of.parameters == instance.parameters &&
                       it->of.extents == instance.extents;
    if (!alike || !fits(*it)) continue;
    if (!key) key = session_key(instance, /*cold=*/true);
    if (it->of == *key) return &*it;
  }
  return nullptr;
}

// Spans that the study's kernel can have: a file may hold others.
bool fits_program(const MeasuredPhases& phases, const Program& program) {
  const auto count = static_cast<std::ptrdiff_t>(program.phases().size());
  return std::ranges::all_of(phases.warps, [count](const auto& warp) {
    return std::ranges::all_of(warp, [count](const auto& span) { return span.phase < count; });
  });
}

}  // namespace

std::shared_ptr<const HardwareCounters> read_counters(std::span<const ReadCounters> read,
                                                      const KernelStudy& study, Source source) {
  const auto* found = newest_of(read, study.instance, [&](const ReadCounters& one) {
    return !one.readings.empty() && study.compiled != nullptr &&
           one.architecture == study.compiled->architecture &&
           one.toolkit == study.compiled->compiler;
  });
  if (found == nullptr) return nullptr;
  auto hardware = std::make_shared<HardwareCounters>();
  hardware->device = found->gpu;
  hardware->date = found->date;
  hardware->source = source;
  hardware->readings = static_cast<int>(found->readings.size());
  hardware->whole_grid = study.issued_counters->whole_grid;
  hardware->counters = check_counters(study, found->readings);
  return hardware;
}

std::shared_ptr<const MeasuredPhases> read_phases(std::span<const ReadPhases> read,
                                                  const KernelStudy& study, Source source) {
  if (study.trace == nullptr || study.program == nullptr) return nullptr;
  const auto* found = newest_of(read, study.instance, [&](const ReadPhases& one) {
    return one.block == study.trace->block && fits_program(one.phases, *study.program);
  });
  if (found == nullptr) return nullptr;
  auto phases = std::make_shared<MeasuredPhases>(found->phases);
  phases->source = source;
  return phases;
}

std::vector<TimesToCompare> times_to_compare(std::span<const std::vector<KnownTime>> known,
                                             const std::string& device) {
  const auto have_all = [&](const KnownTime& like) {
    return like.under.gpu == device && std::ranges::all_of(known, [&](const auto& times) {
             return find_alike(times, like.under) != nullptr;
           });
  };
  const KnownTime* common = nullptr;
  if (!known.empty()) {
    const auto found = std::ranges::find_if(known.front(), have_all);
    if (found != known.front().end()) common = &*found;
  }
  std::vector<TimesToCompare> chosen;
  for (const std::vector<KnownTime>& times : known) {
    const KnownTime* own =
        common != nullptr ? find_alike(times, common->under) : find_on(times, device);
    TimesToCompare& of = chosen.emplace_back();
    for (const KnownTime& time : times) {
      if (&time == own) {
        of.known = time;
      } else {
        of.elsewhere.push_back(time);
      }
    }
  }
  return chosen;
}

bool is_of(const TunedRun& run, const CatalogueEntry& entry, const ParameterSet& extents,
           const GemmFactors& factors) {
  return run.kernel == entry.id && run.extents == extents && run.factors == factors &&
         run.text == text_digest(entry.source);
}

std::optional<TunedFigure> tuned_figure(const TunedRun& run, const Catalogue& catalogue) {
  const CatalogueEntry* entry = catalogue.find(run.kernel);
  if (entry == nullptr || run.text != text_digest(entry->source)) return std::nullopt;
  const auto has_all = [entry](const ParameterSet& parameters) {
    return parameters.size() == entry->parameters.size() &&
           std::ranges::all_of(entry->parameters, [&](const ParameterSpec& spec) {
             return parameters.contains(spec.name);
           });
  };
  std::vector<TunedRow> rows;
  std::ranges::copy_if(run.rows, std::back_inserter(rows),
                       [&](const TunedRow& row) { return has_all(row.parameters); });
  if (rows.empty() || !has_all(run.start)) return std::nullopt;
  TunedFigure figure = tuned_figure({0, entry, run.start, run.extents, run.factors},
                                    usual_reference(entry->problem), std::move(rows));
  figure.own = "the start";
  return figure;
}

TunedRow tuned_row(const Measurement& run) {
  const RunResult& result = run.result;
  return {.parameters = run.of.parameters,
          .seconds = result.kernel.median_seconds,
          .reference_seconds = result.reference ? result.reference->median_seconds : 0,
          .source = Source::kRecorded,
          .gpu = run.machine.gpu,
          .toolkit = run.machine.compiler,
          .date = run.date,
          .driver = run.machine.driver};
}

std::vector<TunedRow> recorded_combinations(const RecordedLibrary& recorded,
                                            const CatalogueEntry& entry,
                                            const ParameterSet& extents,
                                            const GemmFactors& factors) {
  std::vector<TunedRow> rows;
  for (const Measurement* run : recorded.runs(entry, extents, factors)) {
    if (recorded.find(entry, run->of.parameters, extents, true, factors) == run) {
      rows.push_back(tuned_row(*run));
    }
  }
  return rows;
}

std::shared_ptr<const HardwareCounters> recorded_counters(const RecordedLibrary& recorded,
                                                          const CatalogueEntry& entry,
                                                          const KernelStudy& study) {
  const KernelInstance& instance = study.instance;
  const Measurement* run =
      recorded.find(entry, instance.parameters, instance.extents, true, factors_of(instance));
  if (run == nullptr || run->result.counters.empty()) return nullptr;
  const std::vector<CounterValues> values{run->result.counters};
  auto found = std::make_shared<HardwareCounters>();
  found->device = run->machine.gpu;
  found->date = run->date;
  found->source = Source::kRecorded;
  found->readings = 1;
  found->whole_grid = study.issued_counters->whole_grid;
  found->counters = check_counters(study, values);
  return found;
}

}  // namespace tilescope
