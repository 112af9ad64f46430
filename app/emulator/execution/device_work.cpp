#include "emulator/execution/device_work.h"

#include <iterator>
#include <utility>

namespace tilescope {

void DeviceWorkLog::add(std::uint64_t block, DeviceWork work) {
  const std::scoped_lock lock(mutex_);
  work_[block].push_back(std::move(work));
}

std::uint64_t DeviceWorkLog::make_handle() {
  constexpr std::uint64_t kFirst = 0x10000;  // CUDA's named streams are smaller
  const std::scoped_lock lock(mutex_);
  return kFirst + handles_++;
}

std::vector<DeviceWork> DeviceWorkLog::take() {
  const std::scoped_lock lock(mutex_);
  std::vector<DeviceWork> all;
  for (auto& [block, work] : work_)
    all.insert(all.end(), std::make_move_iterator(work.begin()),
               std::make_move_iterator(work.end()));
  work_.clear();
  return all;
}

}  // namespace tilescope
