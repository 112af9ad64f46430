#include "store/measurement.h"

#include <fmt/format.h>

#include <ctime>
#include <utility>

#include "kernel/launch/file_launch.h"
#include "store/source_digest.h"

namespace tilescope {

Machine machine_of(const DeviceInfo& device, const CompiledKernel& compiled) {
  return {device.name,        device.compute_capability, device.driver,
          device.cuda_driver, compiled.compiler,         device.cublas};
}

std::string launch_digest(const KernelInstance& instance) {
  const std::string words = launch_words(instance);
  return words.empty() ? words : text_digest(words);
}

LaunchKey launch_key(const KernelInstance& instance, bool cold, std::string source) {
  return {instance.id,
          std::move(source),
          instance.parameters,
          instance.extents,
          factors_of(instance),
          cold,
          launch_digest(instance)};
}

LaunchKey recorded_key(const KernelInstance& instance, bool cold) {
  return launch_key(instance, cold, kernel_source_hash(instance.source));
}

Measurement measurement_of(const KernelInstance& instance, const RunResult& result,
                           Machine machine) {
  Measurement measurement{recorded_key(instance, result.cold), std::move(machine), result, today()};
  RunResult& kept = measurement.result;
  if (!instance.rated_in_flop()) kept.flop = 0;
  kept.kernel.samples.clear();
  if (kept.reference) kept.reference->samples.clear();
  if (kept.other) kept.other->samples.clear();
  kept.phase_stamps.clear();
  return measurement;
}

Conditions conditions_of(const Measurement& measurement) {
  return {measurement.machine.gpu, measurement.machine.driver, measurement.of.cold,
          measurement.of.factors};
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  return fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
}

}  // namespace tilescope
