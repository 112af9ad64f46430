#include "scene/catalogue_study.h"

#include <algorithm>

#include "core/paths.h"

namespace tilescope {
namespace {

DeviceModel h200() {
  DeviceModel device;
  device.name = "NVIDIA H200";
  device.compute_capability = 90;
  device.multiprocessors = 132;
  device.max_threads_per_multiprocessor = 2048;
  device.max_blocks_per_multiprocessor = 32;
  device.registers_per_multiprocessor = 65536;
  device.registers_per_block = 65536;
  device.shared_bytes_per_multiprocessor = 233472;
  device.shared_bytes_per_block = 49152;
  device.shared_bytes_per_block_optin = 232448;
  return device;
}

}  // namespace

std::shared_ptr<const KernelStudy> catalogue_study(const std::string& id,
                                                   const ParameterSet& parameters,
                                                   const ParameterSet& extents, std::string* why) {
  const auto fail = [why](const Error& error) {
    *why = to_string(error);
    return nullptr;
  };
  const auto catalogue = load_catalogue({resource_directory() / "kernels"});
  if (!catalogue) return fail(catalogue.error());
  const CatalogueEntry* entry = catalogue->find(id);
  if (entry == nullptr) return fail({ErrorCode::kUsage, id + " is not in the catalogue", "", {}});
  const auto complete = complete_parameters(*entry, parameters);
  if (!complete) return fail(complete.error());
  const auto instance = instantiate(*entry, *complete, extents, h200());
  if (!instance) return fail(instance.error());
  StudyRequest request;
  request.instance = *instance;
  const Dim3& grid = instance->grid;
  request.block = flatten({std::min(3u, grid.x - 1), std::min(2u, grid.y - 1), 0}, grid);
  const auto study = study_block(request, {});
  if (!study) return fail(study.error());
  return *study;
}

}  // namespace tilescope
