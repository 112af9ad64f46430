#include "store/measured_run.h"

#include <fmt/format.h>

#include <chrono>
#include <ctime>

#include "kernel/launch/file_launch.h"
#include "kernel/launch/gemm_factors.h"

namespace tilescope {
namespace {

RecordedTimes times_of(const TimeSummary& summary) {
  return {summary.median_seconds, summary.p5_seconds, summary.p95_seconds};
}

std::int64_t now_milliseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

RecordedMachine machine_of(const DeviceInfo& device, const CompiledKernel& compiled) {
  return {device.name,        device.compute_capability, device.driver,
          device.cuda_driver, compiled.compiler,         device.cublas};
}

std::string launch_digest(const KernelInstance& instance) {
  const std::string words = launch_words(instance);
  return words.empty() ? words : text_digest(words);
}

RecordedRun point_of(const KernelInstance& instance, bool cold) {
  RecordedRun run;
  run.kernel = instance.id;
  run.source_hash = kernel_source_hash(instance.source);
  run.parameters = instance.parameters;
  run.extents = instance.extents;
  run.factors = factors_of(instance);
  run.launch = launch_digest(instance);
  run.cold = cold;
  return run;
}

RecordedRun recorded_run(const KernelInstance& instance, const RunResult& result) {
  RecordedRun run = point_of(instance, result.cold);
  run.samples = result.kernel.count;
  run.times = times_of(result.kernel);
  if (result.reference) {
    run.reference = times_of(*result.reference);
    run.reference_error = result.reference->relative_error;
  }
  run.reference_name = result.reference_name;
  if (result.other) run.other = times_of(*result.other);
  run.other_name = result.other_name;
  run.max_error = result.max_error;
  run.tolerance = result.tolerance;
  run.flop = instance.rated_in_flop() ? result.flop : 0;
  run.bytes = result.bytes;
  run.sm_clock_before_hz = result.conditions.sm_clock_before_hz;
  run.sm_clock_hz = result.conditions.sm_clock_after_hz;
  run.temperature_celsius = result.conditions.temperature_after_celsius;
  run.relative_error = result.kernel.relative_error;
  run.throttled_samples = result.conditions.throttled_samples;
  run.all_throttled = result.conditions.all_throttled;
  run.throttle_reasons = throttle_text(result.conditions.throttle_reasons);
  run.counters = result.counters;
  run.reference_counters = result.reference_counters;
  run.date = today();
  return run;
}

HistoryEntry history_entry(const DeviceInfo& device, const CompiledKernel& compiled,
                           const KernelInstance& instance, const RunResult& result) {
  return {0, now_milliseconds(), machine_of(device, compiled), recorded_run(instance, result)};
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

}  // namespace tilescope
