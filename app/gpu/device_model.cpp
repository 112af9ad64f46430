#include "gpu/device_model.h"

#include <algorithm>

namespace tilescope {

DeviceModel model_of(const DeviceInfo& device, const std::vector<DeviceModel>& table) {
  const auto same = std::ranges::find_if(table, [&](const DeviceModel& row) {
    return row.name == device.name && row.compute_capability == device.compute_capability;
  });
  const bool listed = same != table.end();
  DeviceModel model = listed ? *same : device_model_for(table, device.compute_capability);
  if (!device.name.empty()) model.name = device.name;
  if (device.multiprocessors > 0) model.multiprocessors = device.multiprocessors;
  if (device.max_clock_hz > 0) model.boost_clock_hz = device.max_clock_hz;
  if (!listed && device.memory_bytes_per_second > 0)
    model.memory_bytes_per_second = device.memory_bytes_per_second;
  return model;
}

}  // namespace tilescope
