#pragma once

#include <memory>
#include <string>
#include <vector>

#include "kernel/launch/instance.h"
#include "session/measurements.h"

namespace tilescope {

// The launches of this window over time, and what was changed between them: the live chart's.
class LiveLaunches {
 public:
  // Of far too many the oldest quarter is forgotten.
  void add(TimedLaunch launch, std::shared_ptr<const KernelInstance> instance);
  void changed(double at_seconds, std::string label);
  void clear();  // what comes next shares no axis with this

  [[nodiscard]] bool empty() const { return launches_.empty(); }
  [[nodiscard]] const std::vector<TimedLaunch>& launches() const { return launches_; }
  [[nodiscard]] const KernelInstance& instance(std::size_t launch) const {
    return *instances_[launch];
  }
  [[nodiscard]] const std::vector<TimedChange>& changes() const { return changes_; }
  // The day of the last launch, UTC; empty: there was none.
  [[nodiscard]] const std::string& date() const { return date_; }

 private:
  std::vector<TimedLaunch> launches_;
  std::vector<std::shared_ptr<const KernelInstance>> instances_;  // by launch
  std::vector<TimedChange> changes_;
  std::string date_;
};

}  // namespace tilescope
