#include "session/recorded_counters.h"

#include <vector>

#include "kernel/gemm_factors.h"

namespace tilescope {

std::shared_ptr<const HardwareCounters> recorded_counters(const RecordedLibrary& recorded,
                                                          const CatalogueEntry& entry,
                                                          const KernelStudy& study) {
  if (study.issued == nullptr || study.issued_counters == nullptr) return nullptr;
  const KernelInstance& instance = study.instance;
  const auto run =
      recorded.find(entry, instance.parameters, instance.extents, true, factors_of(instance));
  if (run.run == nullptr || run.run->counters.empty()) return nullptr;
  const std::vector<CounterValues> values{run.run->counters};
  auto found = std::make_shared<HardwareCounters>();
  found->device = run.file->gpu;
  found->date = run.run->date;
  found->source = Source::kRecorded;
  found->readings = 1;
  found->whole_grid = study.issued_counters->whole_grid;
  found->counters = check_counters(study, values);
  return found;
}

}  // namespace tilescope
