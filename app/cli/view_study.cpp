#include "cli/view_study.h"

#include <utility>
#include <vector>

#include "analysis/issued_study.h"
#include "analysis/pipeline.h"
#include "core/parallel.h"
#include "scene/banks/layout_variants.h"

namespace tilescope {

Result<std::shared_ptr<const KernelStudy>> study_for_view(std::shared_ptr<const KernelStudy> study,
                                                          View view, const DeviceModel& device) {
  if (view != View::kTiling && view != View::kPipeline && view != View::kOccupancy &&
      view != View::kRoofline && view != View::kCompare) {
    return study;
  }
  auto next = with_resources(study, device, {});
  if (view == View::kTiling) return next ? next : study;
  if (next) next = with_issued_counts(*next, Counted::kSample, processor_count(), {});
  if (!next || view != View::kPipeline) return next;
  return with_pipeline(*next, std::nullopt, {});
}

Result<std::shared_ptr<const KernelStudy>> study_for_page(std::shared_ptr<const KernelStudy> study,
                                                          const DeviceModel& device) {
  auto next = with_resources(std::move(study), device, {});
  if (next) next = with_issued_counts(*next, Counted::kSample, processor_count(), {});
  return next;
}

Result<std::shared_ptr<const KernelStudy>> with_whole_grid(
    std::shared_ptr<const KernelStudy> study) {
  const auto grid = run_grid(*study, processor_count(), {});
  if (!grid) return grid.error();
  study = with_grid(std::move(study), *grid);
  if (!study->issued_counters) return study;
  return with_issued_counts(std::move(study), Counted::kGrid, processor_count(), {});
}

Status add_alternatives(View view, const KernelStudy& study, const DeviceModel& device,
                        ViewContext* context) {
  if (context->entry == nullptr) return ok_status();
  if (view == View::kBanks) {
    auto layouts = layout_variants(*context->entry, study, device, nullptr, {});
    if (!layouts) return layouts.error();
    context->layouts = std::make_shared<const LayoutVariants>(*std::move(layouts));
  }
  if (view != View::kPipeline) return ok_status();
  auto alternatives = pipeline_alternatives(*context->entry, study, nullptr, {});
  if (!alternatives) return alternatives.error();
  context->alternatives =
      std::make_shared<const std::vector<PipelineAlternative>>(*std::move(alternatives));
  return ok_status();
}

}  // namespace tilescope
