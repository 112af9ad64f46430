#include "ui/workbench/gpu_models.h"

#include <algorithm>
#include <utility>

namespace tilescope {

GpuModels::GpuModels(std::vector<DeviceModel> table, int capability)
    : table_(std::make_shared<const std::vector<DeviceModel>>(std::move(table))),
      recorded_(find_device(*table_, capability)) {
  if (recorded_ == nullptr) recorded_ = &table_->front();
  usual_ = recorded_;
}

const DeviceModel& GpuModels::find(std::string_view name) const {
  if (name.empty() || name == usual_->name) return *usual_;
  const auto of_worker = std::ranges::find(workers_, name, &DeviceModel::name);
  if (of_worker != workers_.end()) return *of_worker;
  const auto listed = std::ranges::find(*table_, name, &DeviceModel::name);
  return listed != table_->end() ? *listed : *usual_;
}

std::vector<const DeviceModel*> GpuModels::choices() const {
  constexpr int kLeastCapability = 75;  // NVRTC of CUDA 13 compiles for none below
  std::vector<const DeviceModel*> choices{usual_};
  const auto add = [&](const DeviceModel& model) {
    const auto same = [&](const DeviceModel* other) { return other->name == model.name; };
    if (std::ranges::none_of(choices, same)) choices.push_back(&model);
  };
  for (const DeviceModel& model : workers_) add(model);
  for (const DeviceModel& model : *table_) {
    if (model.compute_capability >= kLeastCapability) add(model);
  }
  return choices;
}

bool GpuModels::take_present(const DeviceInfo& device) {
  const DeviceModel before = *usual_;
  present_ = model_of(device, *table_);
  usual_ = &*present_;
  return *usual_ != before;
}

std::vector<const DeviceModel*> GpuModels::take_workers(const std::vector<GpuKind>& gpus) {
  std::vector<const DeviceModel*> found;
  for (std::size_t i = workers_.size(); i < gpus.size(); ++i) {
    found.push_back(&workers_.emplace_back(model_of(gpus[i].info, *table_)));
  }
  return found;
}

}  // namespace tilescope
