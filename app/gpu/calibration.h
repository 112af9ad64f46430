#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "core/device_table.h"
#include "core/result.h"
#include "gpu/worker_link.h"

namespace tilescope {

// What goes on while a GPU is calibrated, on the caller's thread.
struct CalibrationWatcher {
  std::function<void(std::string_view)> begins;  // gets what is measured next: "barriers"
  std::function<bool()> is_cancelled;            // asked between measurements
};

// Measures what the time model needs to know of the GPU behind the link, with the kernels of
// assets/calibration/probes.cu; takes some ten seconds. The result is the GPU's row with its
// MeasuredRates; `table` gives the limits that a device does not tell. Errors: kMachine where there
// is no GPU, where another program computed on it meanwhile, or where times make no sense (more
// rounds took less time); kCancelled; what the worker and the compiler say.
[[nodiscard]] Result<DeviceModel> calibrate(WorkerLink& link, const DeviceInfo& info,
                                            const std::vector<DeviceModel>& table,
                                            const CalibrationWatcher& watcher);

}  // namespace tilescope
