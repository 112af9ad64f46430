#include "cli/roofline_lookup.h"

#include <vector>

#include "analysis/launch_memory.h"
#include "analysis/moved_bytes.h"
#include "cli/resources.h"
#include "core/parallel.h"
#include "store/recorded_runs.h"

namespace tilescope {

std::optional<KnownTime> recorded_time(const std::vector<RecordedRuns>& files,
                                       const CatalogueEntry& entry, const ParameterSet& parameters,
                                       const ParameterSet& extents) {
  const std::string hash = kernel_source_hash(entry.source);
  for (const RecordedRuns& file : files) {
    const RecordedRun* run = file.find(entry.id, hash, parameters, extents, true);
    if (run == nullptr) continue;
    return KnownTime{run->times.median_seconds,
                     Source::kRecorded,
                     run->reference ? run->reference->median_seconds : 0,
                     run->reference_name,
                     run->date,
                     file.gpu};
  }
  return std::nullopt;
}

std::shared_ptr<const RooflineData> roofline_data_of(const KernelInstance& instance,
                                                     const DeviceModel& device, CountMoved count) {
  const auto resources = load_resources();
  const auto files = load_shipped_runs();
  if (!resources || !files) return nullptr;
  const CatalogueEntry* entry = resources->catalogue.find(instance.id);
  if (entry == nullptr) return nullptr;
  InputCache inputs;
  const auto moved = [&](const CatalogueEntry& step, const ParameterSet& parameters) {
    if (count == CountMoved::kOff) return 0.0;
    if (step.problem != Problem::kGemm) return 0.0;  // its rate is in bytes: no intensity to show
    const auto made = instantiate(step, parameters, instance.extents, device);
    if (!made) return 0.0;
    StudyRequest request;
    request.instance = *made;
    request.inputs = &inputs;
    request.compute_capability = device.compute_capability;
    request.workers = processor_count();
    const auto bytes = moved_bytes(request, {});
    return bytes ? *bytes : 0.0;
  };
  RooflineData data =
      roofline_data(resources->catalogue, *entry, instance.parameters, instance.extents, device,
                    {[&](const CatalogueEntry& step, const ParameterSet& parameters) {
                       return recorded_time(*files, step, parameters, instance.extents);
                     },
                     moved});
  if (!files->empty()) data.gpu = files->front().gpu;
  return std::make_shared<const RooflineData>(std::move(data));
}

}  // namespace tilescope
