#include "ui/workbench/hardware_lookup.h"

#include <utility>

#include "store/recorded_library.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

void HardwareLookup::update(const Workbench& bench, const RecordedLibrary& recorded,
                            const Variant& variant) {
  const std::size_t readings = variant.reading.complete() ? variant.reading.values.size() : 0;
  if (study_ == variant.study && readings_ == readings) return;
  study_ = variant.study;
  readings_ = readings;
  counters_.reset();
  if (study_ == nullptr || study_->issued == nullptr || study_->issued_counters == nullptr) return;
  HardwareCounters found;
  found.whole_grid = study_->issued_counters->whole_grid;
  std::vector<CounterValues> values;
  const auto device = bench.gpu().device();
  if (readings > 0 && device && device->ok()) {
    values = variant.reading.values;
    found.device = (*device)->name;
  } else if (variant.entry != nullptr && !variant.is_edited()) {
    const KernelInstance& instance = study_->instance;
    const auto run = recorded.find(*variant.entry, instance.parameters, instance.extents);
    if (run.run == nullptr || run.run->counters.empty()) return;
    values.push_back(run.run->counters);
    found.device = run.file->gpu;
    found.source = Source::kRecorded;
  }
  if (values.empty()) return;
  found.readings = static_cast<int>(values.size());
  found.counters = check_counters(*study_, values);
  counters_ = std::make_shared<const HardwareCounters>(std::move(found));
}

}  // namespace tilescope
