#include "ui/rates.h"

#include "ui/workbench.h"

namespace tilescope {

Unit rate_unit(Problem problem) {
  return problem == Problem::kGemm ? Unit::kFlopPerSecond : Unit::kBytesPerSecond;
}

double rate_of(Problem problem, const RunResult& result, double seconds) {
  return (problem == Problem::kGemm ? result.flop : result.bytes) / seconds;
}

double peak_rate(Problem problem, const DeviceModel& device) {
  return problem == Problem::kGemm ? device.peak_fp32_flop_per_second()
                                   : device.memory_bytes_per_second;
}

std::string figure_of(double value, Unit unit) {
  const std::string whole = format(value, unit);
  return whole.substr(0, whole.find(' '));
}

std::string unit_word(double value, Unit unit) {
  const std::string whole = format(value, unit);
  const std::size_t space = whole.find(' ');
  return space == std::string::npos ? std::string() : whole.substr(space + 1);
}

double scale_of(Unit unit) { return unit == Unit::kFlopPerSecond ? 1e12 : 1e9; }

std::string scaled_unit_word(Unit unit) {
  return unit == Unit::kFlopPerSecond ? "TFLOP/s" : "GB/s";
}

std::optional<KnownRate> known_rate(const Workbench& bench, const CatalogueEntry& entry,
                                    const ParameterSet& extents) {
  const auto& points = bench.measured();
  for (auto it = points.rbegin(); it != points.rend(); ++it) {
    if (it->kernel == entry.id && it->extents == extents && it->result.kernel.median_seconds > 0) {
      return KnownRate{rate_of(entry.problem, it->result, it->result.kernel.median_seconds),
                       Source::kMeasured};
    }
  }
  return std::nullopt;
}

Problem problem_of(const Variant& variant) {
  if (variant.entry != nullptr) return variant.entry->problem;
  return variant.file && variant.file->problem ? *variant.file->problem : Problem::kTranspose;
}

}  // namespace tilescope
