#include "session/known_measurements.h"

#include <algorithm>
#include <utility>

#include "kernel/launch/gemm_factors.h"
#include "session/readings.h"
#include "store/rates.h"
#include "store/source_digest.h"

namespace tilescope {

void KnownMeasurements::add_kept(LaunchKey of, std::string_view source,
                                 std::vector<KnownMeasurement>* known) const {
  if (measured != nullptr) {
    for (const Measurement* each : measured->all_of(of)) known->push_back({each});
  }
  if (opened != nullptr) {
    for (const Measurement* each : all_of(opened->points, of)) known->push_back({each, opened_as});
  }
  if (history.empty() || source.empty()) return;
  of.source = kernel_source_hash(source);
  for (const HistoryEntry& each : history) {
    if (each.run.of == of) known->push_back({&each.run, Source::kRecorded});
  }
}

std::vector<KnownMeasurement> KnownMeasurements::of(const ChartVariant& launch, bool cold) const {
  std::vector<KnownMeasurement> known;
  const CatalogueEntry& entry = *launch.entry;
  const bool ships = launch.edited.empty();
  add_kept(session_key(launch, cold), ships ? std::string_view(entry.source) : std::string_view(),
           &known);
  if (!ships) return known;
  for (const Measurement* each :
       recorded.find_all(entry, launch.parameters, launch.extents, cold, launch.factors)) {
    known.push_back({each, Source::kRecorded});
  }
  return known;
}

std::vector<KnownMeasurement> KnownMeasurements::of(const KernelInstance& launch,
                                                    const CatalogueEntry* entry, bool cold) const {
  if (entry != nullptr && entry->id == launch.id) {
    return of(ChartVariant{0, entry, launch.parameters, launch.extents, factors_of(launch)}, cold);
  }
  std::vector<KnownMeasurement> known;
  add_kept(session_key(launch, cold), launch.source, &known);
  return known;
}

std::optional<ChartQuestions::Published> KnownMeasurements::published(
    const ChartVariant& launch) const {
  if (!launch.edited.empty()) return std::nullopt;
  const PublishedFigure* figure =
      recorded.published(*launch.entry, launch.parameters, launch.extents, launch.factors);
  if (figure == nullptr) return std::nullopt;
  ChartQuestions::Published published;
  published.mark.rate = rate_of(launch.entry->problem, *figure);
  published.mark.label = short_gpu(figure->gpu);
  published.about = figure->parameters;
  return published;
}

std::vector<ParameterSet> KnownMeasurements::sizes_of(const ChartVariant& launch, bool cold) const {
  std::vector<ParameterSet> sizes;
  const bool ships = launch.edited.empty();
  if (ships) sizes = recorded.sizes(*launch.entry, launch.parameters, cold, launch.factors);
  LaunchKey key = session_key(launch, cold);
  if (measured != nullptr) {
    const std::vector<ParameterSet> here = measured->sizes_of(key);
    sizes.insert(sizes.end(), here.begin(), here.end());
  }
  const auto add = [&](const Measurement& each) {
    if (each.of.kernel != key.kernel) return;
    key.extents = each.of.extents;
    if (each.of == key) sizes.push_back(key.extents);
  };
  if (opened != nullptr) std::ranges::for_each(opened->points, add);
  if (history.empty() || !ships) return sizes;
  key.source = kernel_source_hash(launch.entry->source);
  for (const HistoryEntry& each : history) add(each.run);
  return sizes;
}

std::shared_ptr<const HardwareCounters> KnownMeasurements::counters_of(
    const KernelStudy& study, const CatalogueEntry* entry) const {
  if (study.issued == nullptr || study.issued_counters == nullptr) return nullptr;
  auto found = read_counters(counters, study, Source::kMeasured);
  if (found == nullptr && opened != nullptr) {
    found = read_counters(opened->counters, study, opened_as);
  }
  if (found != nullptr || entry == nullptr || entry->id != study.instance.id) return found;
  return recorded_counters(recorded, *entry, study);
}

std::shared_ptr<const MeasuredPhases> KnownMeasurements::phases_of(const KernelStudy& study) const {
  auto found = read_phases(phases, study, Source::kMeasured);
  if (found != nullptr || opened == nullptr) return found;
  return read_phases(opened->phases, study, opened_as);
}

std::vector<KnownTime> times_of(std::span<const KnownMeasurement> known) {
  std::vector<KnownTime> times;
  for (const auto& [measurement, source] : known) {
    const RunResult& result = measurement->result;
    const Conditions under = conditions_of(*measurement);
    if (find_alike(times, under) != nullptr) continue;
    times.push_back({result.kernel.median_seconds, source,
                     result.reference ? result.reference->median_seconds : 0, result.reference_name,
                     measurement->date, under});
  }
  return times;
}

}  // namespace tilescope
