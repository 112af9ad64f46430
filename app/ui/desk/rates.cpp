#include "ui/desk/rates.h"

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

std::optional<KnownRate> known_rate(const Desk& desk, const CatalogueEntry& entry,
                                    const ParameterSet& parameters, const ParameterSet& extents) {
  const auto known = [&](const RunResult& result, Source source) {
    const auto rate = [&](double seconds) { return rate_of(entry.problem, result, seconds); };
    return KnownRate{.value = rate(result.kernel.median_seconds),
                     .reference = result.reference ? rate(result.reference->median_seconds) : 0,
                     .reference_name = result.reference_name,
                     .work = {result.flop, result.bytes},
                     .source = source};
  };
  const auto& points = desk.bench.measured();
  const bool cold = desk.bench.cold();
  for (const bool exactly : {true, false}) {
    for (auto it = points.rbegin(); it != points.rend(); ++it) {
      if (it->kernel == entry.id && it->extents == extents && it->result.cold == cold &&
          (!exactly || it->parameters == parameters) && it->result.kernel.median_seconds > 0) {
        return known(it->result, Source::kMeasured);
      }
    }
  }
  const RecordedRun* run = desk.recorded.find(entry, parameters, extents, cold).run;
  if (run == nullptr) return std::nullopt;
  return known(as_result(*run), Source::kRecorded);
}

Problem problem_of(const Variant& variant) {
  return variant.entry != nullptr ? variant.entry->problem : Problem::kTranspose;
}

std::string why_no_gpu(const Error& error) {
  constexpr std::string_view kSaid = "no device: ";
  return error.message.starts_with(kSaid) ? error.message.substr(kSaid.size()) : error.message;
}

}  // namespace tilescope
