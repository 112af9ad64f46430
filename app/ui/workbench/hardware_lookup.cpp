#include "ui/workbench/hardware_lookup.h"

#include "session/readings.h"
#include "session/recorded_counters.h"
#include "ui/workbench/workbench.h"

namespace tilescope {

void HardwareLookup::update(const Workbench& bench,
                            const std::shared_ptr<const Measurements>& opened,
                            const RecordedLibrary& recorded, const Variant& variant) {
  const std::size_t read = bench.counters_read().size();
  if (study_ == variant.study && read_ == read && opened_ == opened) return;
  study_ = variant.study;
  read_ = read;
  opened_ = opened;
  counters_.reset();
  in_file_.reset();
  if (study_ == nullptr || study_->issued == nullptr || study_->issued_counters == nullptr) return;
  counters_ = in_file_ = read_counters(bench.counters_read(), *study_, Source::kMeasured);
  if (counters_ == nullptr && opened != nullptr) {
    counters_ = read_counters(opened->counters, *study_, Source::kRecorded);
    in_file_ = read_counters(opened->counters, *study_, Source::kMeasured);
  }
  const bool may_be_recorded = variant.entry != nullptr && !variant.is_edited();
  if (counters_ == nullptr && may_be_recorded) {
    counters_ = in_file_ = recorded_counters(recorded, *variant.entry, *study_);
  }
}

}  // namespace tilescope
