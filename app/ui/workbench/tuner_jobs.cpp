#include "ui/workbench/tuner_jobs.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/issued_study.h"
#include "analysis/modelled_time.h"
#include "analysis/occupancy.h"

namespace tilescope {
namespace {

void add_resources(const CompiledKernel& compiled, const KernelInstance& instance,
                   const DeviceModel& device, TunedVariant* variant) {
  if (!compiled.has_resources) return;
  variant->registers = compiled.resources.registers;
  variant->shared_bytes = static_cast<double>(compiled.resources.static_shared_bytes) +
                          static_cast<double>(instance.dynamic_shared_bytes);
  const auto fits =
      occupancy(device, {.threads_per_block = static_cast<int>(instance.block.count()),
                         .registers_per_thread = compiled.resources.registers,
                         .static_shared_bytes = compiled.resources.static_shared_bytes,
                         .dynamic_shared_bytes = static_cast<int>(instance.dynamic_shared_bytes)});
  if (fits) variant->occupancy = fits->percent();
}

// All that a comparison asks for.
Result<std::shared_ptr<const KernelStudy>> study_to_compare(const KernelInstance& instance,
                                                            const DeviceModel& device,
                                                            InputCache* inputs,
                                                            const std::stop_token& stop) {
  StudyRequest request;
  request.instance = instance;
  request.inputs = inputs;
  request.compute_capability = device.compute_capability;
  auto study = study_block(request, stop);
  if (!study) return study;
  study = with_resources(*std::move(study), device, stop);
  if (!study) return study;
  return with_issued_counts(*std::move(study), Counted::kSample, 1, stop);
}

void model(const StudyRequest& request, const DeviceModel& device, const std::stop_token& stop,
           TunedVariant* variant) {
  const auto time = modelled_time(request, device, stop);
  if (!time) {
    variant->problem = to_string(time.error());
    return;
  }
  add_resources(time->compiled, request.instance, device, variant);
  variant->seconds = time->seconds;
}

}  // namespace

TimingOptions short_timing(bool reference) {
  TimingOptions timing;
  timing.warm_up = 2;
  timing.samples = 20;
  timing.relative_error = 0.005;
  timing.max_seconds = 0.06;
  timing.reference = reference;
  return timing;
}

TimingOptions long_timing() {
  TimingOptions timing;
  timing.max_seconds = 0.6;
  return timing;
}

void prepare_candidate(const TuningTask& task, unsigned workers, InputCache* inputs,
                       const std::stop_token& stop, TuningCandidate* candidate) {
  TunedVariant& variant = candidate->variant;
  const DeviceModel& device = task.device;
  auto instance = instantiate(*task.entry, variant.parameters, task.extents, task.factors, device);
  if (!instance) {
    variant.problem = to_string(instance.error());
    return;
  }
  if (!task.measures) {
    StudyRequest request;
    request.instance = *std::move(instance);
    request.inputs = inputs;
    request.compute_capability = device.compute_capability;
    request.workers = workers;
    model(request, device, stop, &variant);
    return;
  }
  auto compiled = compile({*instance, device.compute_capability, true}, stop);
  if (!compiled) {
    variant.problem = to_string(compiled.error());
    return;
  }
  add_resources(*compiled, *instance, device, &variant);
  candidate->compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  candidate->instance = std::make_shared<const KernelInstance>(*std::move(instance));
}

WinnerStory explain_winner(const TuningTask& task, const std::string& changes,
                           const TunedVariant& start, const TunedVariant& winner,
                           InputCache* inputs, const std::stop_token& stop) {
  std::vector<std::shared_ptr<const KernelStudy>> studies;
  std::vector<std::optional<Diagnosis>> diagnoses;
  for (const TunedVariant* variant : {&start, &winner}) {
    auto instance =
        instantiate(*task.entry, variant->parameters, task.extents, task.factors, task.device);
    if (!instance) return winner_story(changes, {});
    auto study = study_to_compare(*instance, task.device, inputs, stop);
    if (!study) return winner_story(changes, {});
    studies.push_back(*std::move(study));
    diagnoses.push_back(diagnose(*studies.back()));
  }
  const std::vector<double> seconds{start.seconds, winner.seconds};
  std::vector<ComparedKernel> kernels;
  for (std::size_t i = 0; i < studies.size(); ++i) {
    ComparedKernel kernel{studies[i].get(), diagnoses[i] ? &*diagnoses[i] : nullptr, {}, {}};
    if (task.measures && seconds[i] > 0) {
      kernel.known = Quantity{seconds[i], Unit::kSeconds, Source::kMeasured};
    }
    kernels.push_back(kernel);
  }
  const Comparison comparison = compare(kernels);
  WinnerStory story = winner_story(changes, comparison.pairs[0][1]);
  if (diagnoses[0] && diagnoses[1]) {
    WinnerReason became = what_became_of(*diagnoses[0], *diagnoses[1]);
    if (!became.sentence.empty()) story.reasons.push_back(std::move(became));
  }
  return story;
}

}  // namespace tilescope
