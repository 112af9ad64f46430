#include "ui/workbench/live_launches.h"

#include <cstddef>
#include <utility>

#include "store/measurement.h"

namespace tilescope {

void LiveLaunches::add(TimedLaunch launch, std::shared_ptr<const KernelInstance> instance) {
  constexpr std::size_t kMost = 20000;
  if (launches_.size() == kMost) {
    launches_.erase(launches_.begin(), launches_.begin() + kMost / 4);
    instances_.erase(instances_.begin(), instances_.begin() + kMost / 4);
  }
  launches_.push_back(launch);
  instances_.push_back(std::move(instance));
  date_ = today();
}

void LiveLaunches::changed(double at_seconds, std::string label) {
  changes_.push_back({at_seconds, std::move(label)});
}

void LiveLaunches::clear() {
  launches_.clear();
  instances_.clear();
  changes_.clear();
}

}  // namespace tilescope
