#include "ui/workbench/hardware_lookup.h"

#include <utility>

#include "session/recorded_counters.h"
#include "store/measured_run.h"
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
  const auto device = bench.gpu().device();
  if (readings == 0 || !device || !device->ok()) {
    const bool may_be_recorded = variant.entry != nullptr && !variant.is_edited();
    if (may_be_recorded) counters_ = recorded_counters(recorded, *variant.entry, *study_);
    return;
  }
  HardwareCounters found;
  found.device = (*device)->name;
  found.date = today();
  found.readings = static_cast<int>(readings);
  found.whole_grid = study_->issued_counters->whole_grid;
  found.counters = check_counters(*study_, variant.reading.values);
  counters_ = std::make_shared<const HardwareCounters>(std::move(found));
}

}  // namespace tilescope
