#include "session/recorded_combinations.h"

namespace tilescope {

TunedRow tuned_row(const RecordedRun& run, const RecordedMachine& machine) {
  return {.parameters = run.parameters,
          .seconds = run.times.median_seconds,
          .reference_seconds = run.reference ? run.reference->median_seconds : 0,
          .source = Source::kRecorded,
          .gpu = machine.gpu,
          .toolkit = machine.compiler,
          .date = run.date,
          .driver = machine.driver};
}

std::vector<TunedRow> recorded_combinations(const RecordedLibrary& recorded,
                                            const CatalogueEntry& entry,
                                            const ParameterSet& extents,
                                            const GemmFactors& factors) {
  std::vector<TunedRow> rows;
  for (const RecordedRun* run : recorded.runs(entry, extents, factors)) {
    const auto [file, first] = recorded.find(entry, run->parameters, extents, true, factors);
    if (first == run) rows.push_back(tuned_row(*run, *file));
  }
  return rows;
}

}  // namespace tilescope
