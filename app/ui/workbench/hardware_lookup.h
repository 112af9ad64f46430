#pragma once
#include <memory>

#include "analysis/counter_check.h"

namespace tilescope {

class RecordedLibrary;
struct Variant;
class Workbench;

// The hardware's counters beside the active variant's emulated ones: those read in this sitting,
// else recorded ones; made anew when either side changes.
class HardwareLookup {
 public:
  void update(const Workbench& bench, const RecordedLibrary& recorded, const Variant& variant);
  // nullptr: nobody has read any, or there is nothing emulated to hold against them yet.
  [[nodiscard]] const std::shared_ptr<const HardwareCounters>& counters() const {
    return counters_;
  }

 private:
  std::shared_ptr<const KernelStudy> study_;
  std::size_t readings_ = 0;
  std::shared_ptr<const HardwareCounters> counters_;
};

}  // namespace tilescope
