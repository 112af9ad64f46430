#include "session/studied_view.h"

#include <optional>
#include <string>
#include <utility>

#include "analysis/time/pipeline.h"
#include "analysis/time/study_depth.h"
#include "core/derived.h"
#include "core/dim3.h"
#include "core/parallel.h"
#include "scene/model/prepared.h"
#include "scene/views.h"

namespace tilescope {

Result<std::shared_ptr<const KernelStudy>> complete_study(std::shared_ptr<const KernelStudy> traced,
                                                          const ViewNeeds& needs,
                                                          const DeviceModel& device,
                                                          bool whole_grid,
                                                          const std::stop_token& stop) {
  if (needs.registers) {
    auto next = with_resources(traced, device, stop);
    if (!next && needs.issued) return next;
    if (next) traced = *std::move(next);  // else its picture is whole without them
  }
  const StudyDepth depth{.issued = needs.issued,
                         .pipeline = needs.pipeline,
                         .whole_grid = whole_grid,
                         .workers = processor_count()};
  auto study = with_depth(std::move(traced), depth, stop);
  if (!study || !needs.pipeline || (*study)->pipeline != nullptr) return study;
  return with_pipeline(*study, std::nullopt, stop);  // says why there is none
}

Result<StudiedView> studied_view(const VariantDocument& variant, View view,
                                 const ViewSettings& settings, const StudyTools& tools,
                                 const std::stop_token& stop) {
  const ViewNeeds needs = needs_of(view, settings);
  if (needs.variants) {
    return Error{
        ErrorCode::kUsage, "this view shows several launches", "Choose a view of one launch", {}};
  }
  auto instance = instance_of(variant, tools.catalogue, tools.device);
  if (!instance) return std::move(instance).error();
  StudyRequest request;
  request.instance = *std::move(instance);
  request.compute_capability = tools.device.compute_capability;
  request.block = variant.selection.block;
  request.workers = tools.workers;
  auto study = study_block(request, stop);
  if (!study) return std::move(study).error();
  study = complete_study(*std::move(study), needs, tools.device, false, stop);
  if (!study) return std::move(study).error();
  StudiedView made;
  made.variants.push_back({.entry = tools.catalogue.find((*study)->instance.id),
                           .study = *study,
                           .prepared = prepare(**study)});
  OtherLaunches launches(tools.catalogue, run_now, tools.workers);
  ViewQueries queries(launches, run_now);
  if (Status asked = queries.ask(needs, made.variants, 0, tools.device, tools.known); !asked) {
    return asked.error();
  }
  queries.fill(made.variants.front(), &made.context);
  made.context.settings = settings;
  made.context.devices = std::make_shared<const std::vector<DeviceModel>>(tools.devices);
  made.context.selection = variant.selection;
  made.context.camera = variant.camera;
  made.context.time_zoom = variant.time_zoom;
  return made;
}

TurnedVariants turned_variants(const VariantDocument& variant, const ParameterSpec& parameter,
                               const StudyTools& tools) {
  TurnedVariants turned;
  const auto own = instance_of(variant, tools.catalogue, tools.device);
  if (!own) return turned;
  const Dim3 block = unflatten(variant.selection.block, own->grid);
  for (const std::int64_t value : parameter.values) {
    VariantDocument other = variant;
    other.parameters[parameter.name] = value;
    const auto instance = instance_of(other, tools.catalogue, tools.device);
    if (!instance) continue;  // against the kernel's rules
    const Dim3& grid = instance->grid;
    if (block.x >= grid.x || block.y >= grid.y || block.z >= grid.z) continue;
    other.selection.block = flatten(block, grid);
    if (other.parameters == variant.parameters) turned.at = turned.values.size();
    turned.values.push_back(value);
    turned.variants.push_back(std::move(other));
    if (turned.values.size() == kMostTurnedValues) break;
  }
  return turned;
}

}  // namespace tilescope
