#include "scene/catalogue_study.h"

#include <algorithm>

#include "analysis/pipeline.h"
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
  device.reserved_shared_bytes_per_block = 1024;
  device.fp32_lanes_per_multiprocessor = 128;
  device.boost_clock_hz = 1.98e9;
  device.memory_bytes_per_second = 4.8e12;
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
  auto study = study_block(request, {});
  if (study) study = with_resources(*study, h200(), {});
  if (!study) return fail(study.error());
  // Of the PTX: a picture must not hang on whether a disassembler is installed.
  const auto pipeline = pipeline_of(**study, std::nullopt, {});
  if (!pipeline) return fail(pipeline.error());
  auto complete_study = std::make_shared<KernelStudy>(**study);
  complete_study->pipeline = *pipeline;
  return complete_study;
}

std::shared_ptr<const KernelStudy> with_registers(const std::shared_ptr<const KernelStudy>& study,
                                                  std::string* why) {
  const auto devices = load_device_table(resource_directory() / "assets" / "devices.json");
  auto compiled = with_resources(study, *find_device(*devices, 90), {});
  if (compiled) return *std::move(compiled);
  *why = to_string(compiled.error());
  return nullptr;
}

ViewContext catalogue_context(const KernelStudy& study) {
  static const auto catalogue = load_catalogue({resource_directory() / "kernels"});
  static const auto devices = load_device_table(resource_directory() / "assets" / "devices.json");
  ViewContext context;
  context.study = &study;
  context.prepared = prepare(study);
  context.devices = std::make_shared<const std::vector<DeviceModel>>(*devices);
  context.entry = catalogue->find(study.instance.id);
  return context;
}

}  // namespace tilescope
