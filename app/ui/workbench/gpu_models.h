#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device_table.h"
#include "gpu/gpu_device.h"
#include "gpu/worker_link.h"

namespace tilescope {

// The GPUs that a launch can be computed for: those of the device table, and those of workers once
// they have answered. An address that it gives stays. UI thread.
class GpuModels {
 public:
  // `capability`: of the GPU that figures were recorded on, 10 x major + minor.
  GpuModels(std::vector<DeviceModel> table, int capability);

  [[nodiscard]] const std::shared_ptr<const std::vector<DeviceModel>>& table() const {
    return table_;
  }
  // What is computed for where nobody has chosen: the GPU that is there, else the recorded one.
  [[nodiscard]] const DeviceModel& usual() const { return *usual_; }
  [[nodiscard]] const DeviceModel& recorded() const { return *recorded_; }
  // By DeviceModel::name; usual() where it is empty or nobody knows it.
  [[nodiscard]] const DeviceModel& find(std::string_view name) const;
  // Each name once: the usual one, those of workers, those of the table that the compiler has an
  // architecture for.
  [[nodiscard]] std::vector<const DeviceModel*> choices() const;

  // The device answered, some seconds after the window opened: it is the usual one from now on.
  // True: another one than before.
  bool take_present(const DeviceInfo& device);
  // Of all the GPUs of workers, those that are new here: their models.
  std::vector<const DeviceModel*> take_workers(const std::vector<GpuKind>& gpus);

 private:
  std::shared_ptr<const std::vector<DeviceModel>> table_;
  const DeviceModel* recorded_ = nullptr;  // a row of table_
  const DeviceModel* usual_ = nullptr;     // that or present_
  std::optional<DeviceModel> present_;
  std::deque<DeviceModel> workers_;
};

}  // namespace tilescope
