#include "ui/desk/rates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "analysis/peak_rate.h"
#include "scene/rates/rate_axis.h"
#include "store/recorded_library.h"
#include "ui/desk/desk.h"

namespace tilescope {

RateUnit shown_unit(const Desk& desk, Problem problem) {
  const RateUnit wanted = desk.preferences.rate_unit.value_or(own_unit(problem));
  return why_not_in(wanted, problem).empty() ? wanted : own_unit(problem);
}

double peak_rate(const Variant& variant, const DeviceModel& device) {
  return variant.entry != nullptr ? peak_rate(*variant.entry, device)
                                  : device.memory_bytes_per_second;
}

std::string figure_of(double value, Unit unit) {
  const std::string whole = format(value, unit);
  return whole.substr(0, whole.find(' '));
}

std::string figure_on(const RateScale& scale, double value) {
  const double scaled = value / scale.divisor;
  const double size = std::abs(scaled);
  if (size == 0 || size >= 0.0995) return figure_of(scaled, Unit::kNone);
  constexpr int kMostDecimals = 6;
  const int decimals = 1 - static_cast<int>(std::floor(std::log10(size)));
  return fmt::format("{:.{}f}", scaled, std::min(decimals, kMostDecimals));
}

std::optional<KnownRate> known_rate(const Desk& desk, const CatalogueEntry& entry,
                                    const ParameterSet& parameters, const ParameterSet& extents) {
  const MeasuredPoints& points = desk.bench.measured_points();
  const bool cold = desk.bench.cold();
  const GemmFactors factors =
      entry.problem == Problem::kGemm ? desk.bench.active().factors : GemmFactors{};
  const PointKey exactly = key_of(ChartVariant{0, &entry, parameters, extents, factors}, cold);
  const MeasuredPoint* found = points.newest_of(exactly);
  if (found == nullptr) found = points.newest_of_kernel(exactly);
  if (found != nullptr) {
    return KnownRate{.value = rate_of(*found, entry.problem),
                     .reference = reference_rate_of(*found, entry.problem),
                     .reference_name = found->reference_name,
                     .work = {found->flop, found->bytes},
                     .source = Source::kMeasured};
  }
  const RecordedRun* run = desk.recorded.find(entry, parameters, extents, cold, factors).run;
  if (run == nullptr) return std::nullopt;
  const RunResult result = as_result(*run);
  const auto rate = [&](double seconds) { return rate_of(entry.problem, result, seconds); };
  return KnownRate{.value = rate(result.kernel.median_seconds),
                   .reference = result.reference ? rate(result.reference->median_seconds) : 0,
                   .reference_name = result.reference_name,
                   .work = {result.flop, result.bytes},
                   .source = Source::kRecorded};
}

Problem problem_of(const Variant& variant) {
  return variant.entry != nullptr ? variant.entry->problem : Problem::kTranspose;
}

std::string why_no_gpu(const Error& error) {
  constexpr std::string_view kSaid = "no device: ";
  return error.message.starts_with(kSaid) ? error.message.substr(kSaid.size()) : error.message;
}

}  // namespace tilescope
