#pragma once
#include "core/device_table.h"
#include "runtime/protocol.h"

namespace tilescope {

// What the stand-in runtime tells a program of its device, from the device table and, for what that
// does not have (memory, L2, bus), from the datasheets of a GPU of its compute capability.
[[nodiscard]] runtime::DeviceFacts facts_of(const DeviceModel& device);

}  // namespace tilescope
