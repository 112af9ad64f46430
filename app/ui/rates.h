#pragma once
#include <optional>
#include <string>

#include "core/quantity.h"
#include "gpu/messages.h"
#include "kernel/catalogue.h"

namespace tilescope {

class Workbench;
struct DeviceModel;
struct Variant;

// A problem's rate is flop/s for GEMM and bytes/s for the rest.
[[nodiscard]] Unit rate_unit(Problem problem);
[[nodiscard]] double rate_of(Problem problem, const RunResult& result, double seconds);
[[nodiscard]] double peak_rate(Problem problem, const DeviceModel& device);

// A rate as the charts write it, without its unit: "46.8" of "46.8 TFLOP/s".
[[nodiscard]] std::string figure_of(double value, Unit unit);
[[nodiscard]] std::string unit_word(double value, Unit unit);
// Short forms where several must share a scale: the value in the given power of ten.
[[nodiscard]] double scale_of(Unit unit);               // 1e12 for flop/s, 1e9 for bytes/s
[[nodiscard]] std::string scaled_unit_word(Unit unit);  // "TFLOP/s", "GB/s"

struct KnownRate {
  double value = 0;
  Source source = Source::kMeasured;
};
// The newest measured rate of a kernel at these extents, whatever its parameters.
[[nodiscard]] std::optional<KnownRate> known_rate(const Workbench& bench, const CatalogueEntry& entry,
                                                  const ParameterSet& extents);

[[nodiscard]] Problem problem_of(const Variant& variant);

}  // namespace tilescope
