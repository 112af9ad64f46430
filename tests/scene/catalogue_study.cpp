#include "scene/catalogue_study.h"

#include <algorithm>

#include "analysis/time/pipeline.h"
#include "core/paths.h"
#include "scene/banks/layout_variants.h"

namespace tilescope {
namespace {

const std::vector<DeviceModel>& devices() {
  static const auto table = load_device_table(resource_directory() / "assets" / "devices.json");
  return *table;
}

const Catalogue& catalogue() {
  static const auto loaded = load_catalogue({resource_directory() / "kernels"});
  return *loaded;
}

}  // namespace

std::shared_ptr<const KernelStudy> catalogue_study(const std::string& id,
                                                   const ParameterSet& parameters,
                                                   const ParameterSet& extents, std::string* why) {
  const auto fail = [why](const Error& error) {
    *why = to_string(error);
    return nullptr;
  };
  const DeviceModel& h200 = *find_device(devices(), 90);
  const CatalogueEntry* entry = catalogue().find(id);
  if (entry == nullptr) return fail({ErrorCode::kUsage, id + " is not in the catalogue", "", {}});
  const auto complete = complete_parameters(*entry, parameters);
  if (!complete) return fail(complete.error());
  const auto instance = instantiate(*entry, *complete, extents, h200);
  if (!instance) return fail(instance.error());
  StudyRequest request;
  request.instance = *instance;
  const Dim3& grid = instance->grid;
  request.block = flatten({std::min(3u, grid.x - 1), std::min(2u, grid.y - 1), 0}, grid);
  auto study = study_block(request, {});
  if (study) study = with_resources(*study, h200, {});
  if (!study) return fail(study.error());
  // Of the PTX: a picture must not hang on whether a disassembler is installed.
  const auto pipeline = pipeline_of(**study, std::nullopt, {});
  if (!pipeline) return fail(pipeline.error());
  auto complete_study = std::make_shared<KernelStudy>(**study);
  complete_study->pipeline = *pipeline;
  return complete_study;
}

ViewContext catalogue_context(const KernelStudy& study) {
  ViewContext context;
  context.study = &study;
  context.prepared = prepare(study);
  context.devices = std::make_shared<const std::vector<DeviceModel>>(devices());
  context.entry = catalogue().find(study.instance.id);
  if (context.entry != nullptr && study.device != nullptr) {
    auto layouts = layout_variants(*context.entry, study, *study.device, nullptr, {});
    if (layouts) context.layouts = std::make_shared<const LayoutVariants>(*std::move(layouts));
  }
  return context;
}

}  // namespace tilescope
