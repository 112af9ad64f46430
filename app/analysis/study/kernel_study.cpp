#include "analysis/study/kernel_study.h"

#include <chrono>
#include <future>
#include <utility>

#include "analysis/memory/launch_memory.h"
#include "analysis/study/study_counts.h"

namespace tilescope {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

Error cancelled() {
  return {ErrorCode::kCancelled, "a newer request took this one's place", "", {}};
}

Result<std::shared_ptr<const Program>> decode_own(const KernelInstance& instance,
                                                  const CompiledKernel& compiled) {
  return instance.is_ptx() ? decode_ptx_file(compiled.ptx, compiled.kernel, instance.file_name)
                           : decode_ptx(compiled.ptx, compiled.kernel, instance.source);
}

}  // namespace

Result<std::shared_ptr<const KernelStudy>> prepare_study(const StudyRequest& request,
                                                         std::stop_token stop) {
  auto study = std::make_shared<KernelStudy>();
  study->instance = request.instance;
  // The launch's memory is made while the kernel compiles.
  auto memory = std::async(std::launch::async, [&request] {
    return make_launch_memory(request.instance, request.inputs);
  });
  auto compiled = compile({request.instance, request.compute_capability, false}, stop);
  if (!compiled) return std::move(compiled).error();
  study->compile_seconds = compiled->seconds;
  auto program = decode_own(request.instance, *compiled);
  if (!program) return std::move(program).error();
  study->program = *std::move(program);
  study->compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  if (stop.stop_requested()) return cancelled();
  auto launch = memory.get();
  if (!launch) return std::move(launch).error();
  study->launch = {request.instance.grid, request.instance.block,
                   request.instance.dynamic_shared_bytes, std::move(launch->arguments)};
  study->launch.grid_workspace = add_grid_workspace(*study->program, launch->memory);
  study->memory = std::make_shared<const DeviceMemory>(std::move(launch->memory));
  return std::shared_ptr<const KernelStudy>(std::move(study));
}

Result<std::shared_ptr<const KernelStudy>> study_block(const StudyRequest& request,
                                                       std::stop_token stop) {
  auto prepared = prepare_study(request, stop);
  if (!prepared) return prepared;
  auto study = std::make_shared<KernelStudy>(**prepared);
  const auto start = Clock::now();
  auto counted = trace_and_count(request, study.get(), stop);
  if (!counted) return std::move(counted).error();
  study->counters = std::make_shared<const LaunchCounters>(std::move(counted->counters));
  study->complete = counted->emulation.complete;
  study->emulate_seconds = seconds_since(start);
  return std::shared_ptr<const KernelStudy>(std::move(study));
}

Result<std::shared_ptr<const KernelStudy>> with_resources(std::shared_ptr<const KernelStudy> study,
                                                          const DeviceModel& device,
                                                          std::stop_token stop) {
  auto compiled = compile({study->instance, device.compute_capability, true}, stop);
  if (!compiled) return std::move(compiled).error();
  auto next = std::make_shared<KernelStudy>(*study);
  next->device = std::make_shared<const DeviceModel>(device);
  if (compiled->has_resources) {
    OccupancyRequest request;
    request.threads_per_block = static_cast<int>(study->instance.block.count());
    request.registers_per_thread = compiled->resources.registers;
    request.static_shared_bytes = compiled->resources.static_shared_bytes;
    request.dynamic_shared_bytes = static_cast<int>(study->instance.dynamic_shared_bytes);
    if (const auto found = occupancy(device, request)) next->occupancy = *found;
  }
  next->compiled = std::make_shared<const CompiledKernel>(*std::move(compiled));
  return std::shared_ptr<const KernelStudy>(std::move(next));
}

}  // namespace tilescope
