#include "analysis/modelled_time.h"

#include <algorithm>
#include <future>
#include <utility>

#include "analysis/issued_study.h"
#include "analysis/launch_memory.h"
#include "analysis/launch_work.h"
#include "analysis/time_model.h"
#include "analysis/verdicts.h"

namespace tilescope {
namespace {

// Compiled, with its first block's trace; the cubin is compiled meanwhile.
Result<std::shared_ptr<const KernelStudy>> traced_block(const StudyRequest& request,
                                                        const std::stop_token& stop) {
  auto prepared = prepare_study(request, stop);
  if (!prepared) return prepared;
  auto study = std::make_shared<KernelStudy>(**prepared);
  DeviceMemory memory = writable_copy(study->instance, *study->memory);
  const std::uint64_t block = std::min(request.block, study->launch.grid.count() - 1);
  auto trace =
      trace_block(*study->program, study->launch, memory, block, request.most_events, stop);
  if (!trace) return std::move(trace).error();
  study->complete = trace->complete;
  study->trace = std::make_shared<const BlockTrace>(*std::move(trace));
  return std::shared_ptr<const KernelStudy>(std::move(study));
}

// Where the machine code is not known, the PTX is counted.
Result<std::shared_ptr<const KernelStudy>> with_counts(std::shared_ptr<const KernelStudy> study,
                                                       unsigned workers,
                                                       const std::stop_token& stop) {
  auto counted = with_issued_counts(study, Counted::kSample, workers, stop);
  if (!counted || (*counted)->issued_counters) return counted;
  auto sample = run_sample(**counted, workers, stop);
  if (!sample) return std::move(sample).error();
  auto next = std::make_shared<KernelStudy>(**counted);
  next->counters = std::make_shared<const LaunchCounters>(std::move(sample->counters));
  return std::shared_ptr<const KernelStudy>(std::move(next));
}

}  // namespace

Result<ModelledTime> modelled_time(const StudyRequest& request, const DeviceModel& device,
                                   std::stop_token stop) {
  // Its result goes into the cache; with_resources() takes it there, or waits for it.
  const auto cubin = std::async(std::launch::async, [&request, &device, &stop] {
    return compile({request.instance, device.compute_capability, true}, stop).ok();
  });
  auto study = traced_block(request, stop);
  if (study) study = with_resources(*std::move(study), device, stop);
  if (study) study = with_counts(*std::move(study), request.workers, stop);
  if (!study) return std::move(study).error();
  if (auto reason = not_modelled(**study); !reason.empty()) {
    return Error{ErrorCode::kKernel, std::move(reason), "", {}};
  }
  const MachineRates rates = rates_of(device);
  const LaunchWork work = work_of(**study, rates);
  if (work.pipes.issued <= 0) {
    return Error{ErrorCode::kKernel, "the model has no counters of it", "", {}};
  }
  return ModelledTime{bounds_of(work, rates).total(), *(*study)->compiled};
}

}  // namespace tilescope
