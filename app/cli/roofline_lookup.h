#pragma once
#include <memory>

#include "core/device_table.h"
#include "kernel/instance.h"
#include "scene/roofline_data.h"

namespace tilescope {

// The recorded times of a catalogue kernel and of its family at its size, and what each step's
// lanes move, which is emulated here and now: seconds. nullptr for a file of the user's.
[[nodiscard]] std::shared_ptr<const RooflineData> roofline_data_of(const KernelInstance& instance,
                                                                   const DeviceModel& device);

}  // namespace tilescope
