#pragma once
#include <vector>

#include "core/device_table.h"
#include "gpu/messages.h"

namespace tilescope {

// The GPU that is there: the limits of its compute capability from the table (device_model_for),
// its own name, multiprocessors and clock, and the bandwidth of its memory: the datasheet's where
// the table has this very GPU, else bus width x clock x 2. What a device does not tell stays the
// table's.
[[nodiscard]] DeviceModel model_of(const DeviceInfo& device, const std::vector<DeviceModel>& table);

}  // namespace tilescope
