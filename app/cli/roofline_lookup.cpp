#include "cli/roofline_lookup.h"

#include "analysis/launch_memory.h"
#include "analysis/moved_bytes.h"
#include "core/parallel.h"
#include "kernel/gemm_factors.h"

namespace tilescope {

std::shared_ptr<const RooflineData> roofline_data_of(const RooflineRequest& request) {
  const KernelInstance& instance = request.instance;
  std::vector<KnownTime> known = request.times.of(instance, request.entry);
  if (request.entry == nullptr && known.empty()) return nullptr;
  InputCache inputs;
  const auto moved = [&](const CatalogueEntry& step, const ParameterSet& parameters) {
    if (request.count == CountMoved::kOff) return 0.0;
    if (step.problem != Problem::kGemm) return 0.0;  // its rate is in bytes: no intensity to show
    const auto made =
        instantiate(step, parameters, instance.extents, factors_of(instance), request.device);
    if (!made) return 0.0;
    StudyRequest study;
    study.instance = *made;
    study.inputs = &inputs;
    study.compute_capability = request.device.compute_capability;
    study.workers = processor_count();
    const auto bytes = moved_bytes(study, {});
    return bytes ? *bytes : 0.0;
  };
  return std::make_shared<const RooflineData>(
      roofline_data({request.catalogue, request.entry, instance, request.device}, std::move(known),
                    {[&](const CatalogueEntry& step, const ParameterSet& parameters) {
                       return request.times.of(step, parameters, instance);
                     },
                     moved}));
}

}  // namespace tilescope
