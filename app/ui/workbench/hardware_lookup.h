#pragma once
#include <memory>

#include "analysis/counter_check.h"

namespace tilescope {

class RecordedLibrary;
struct Measurements;
struct Variant;
class Workbench;

// The hardware's counters beside the active variant's emulated ones: those read in this sitting,
// else those that the document's file brought, else recorded ones; made anew when either side
// changes.
class HardwareLookup {
 public:
  // `opened`: what the document's file brought; nullptr: nothing.
  void update(const Workbench& bench, const std::shared_ptr<const Measurements>& opened,
              const RecordedLibrary& recorded, const Variant& variant);
  // nullptr: nobody has read any, or there is nothing emulated to hold against them yet.
  [[nodiscard]] const std::shared_ptr<const HardwareCounters>& counters() const {
    return counters_;
  }
  // As a file of the session has them: measured, whether in this sitting or in another.
  [[nodiscard]] const std::shared_ptr<const HardwareCounters>& in_file() const { return in_file_; }

 private:
  std::shared_ptr<const KernelStudy> study_;
  std::size_t read_ = 0;
  std::shared_ptr<const Measurements> opened_;
  std::shared_ptr<const HardwareCounters> counters_;
  std::shared_ptr<const HardwareCounters> in_file_;
};

}  // namespace tilescope
