#include "ui/rates.h"

#include <cctype>

#include "ui/desk.h"
#include "ui/recorded_library.h"

namespace tilescope {

Unit rate_unit(Problem problem) {
  return problem == Problem::kGemm ? Unit::kFlopPerSecond : Unit::kBytesPerSecond;
}

double rate_of(Problem problem, const RunResult& result, double seconds) {
  return (problem == Problem::kGemm ? result.flop : result.bytes) / seconds;
}

RateUnit shown_unit(const Desk& desk, Problem problem) {
  const RateUnit own =
      problem == Problem::kGemm ? RateUnit::kFlopPerSecond : RateUnit::kBytesPerSecond;
  const RateUnit wanted = desk.preferences.rate_unit.value_or(own);
  return why_not_in(wanted, problem).empty() ? wanted : own;
}

std::string why_not_in(RateUnit unit, Problem problem) {
  if (unit == RateUnit::kFlopPerSecond && problem != Problem::kGemm) {
    return "This problem moves bytes; it has no arithmetic to count.";
  }
  return "";
}

RateBasis basis_of(Problem problem, const ProblemCost& work, double peak, double reference) {
  return {.own = problem == Problem::kGemm ? work.flop : work.bytes,
          .flop = work.flop,
          .bytes = work.bytes,
          .peak = peak,
          .reference = reference};
}

double peak_rate(const Variant& variant, const DeviceModel& device) {
  if (variant.entry != nullptr) return peak_rate(*variant.entry, device);
  return device.memory_bytes_per_second;
}

double peak_rate(const CatalogueEntry& entry, const DeviceModel& device) {
  if (entry.problem != Problem::kGemm) return device.memory_bytes_per_second;
  return multiplies_fp32(entry) ? device.peak_fp32_flop_per_second() : 0;
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
  for (const bool exactly : {true, false}) {
    for (auto it = points.rbegin(); it != points.rend(); ++it) {
      if (it->kernel == entry.id && it->extents == extents &&
          (!exactly || it->parameters == parameters) && it->result.kernel.median_seconds > 0) {
        return known(it->result, Source::kMeasured);
      }
    }
  }
  const RecordedRun* run = desk.recorded.find(entry, parameters, extents).run;
  if (run == nullptr) return std::nullopt;
  return known(as_result(*run), Source::kRecorded);
}

RunResult as_result(const RecordedRun& run) {
  const auto summary = [&](const RecordedTimes& times) {
    TimeSummary result;
    result.count = run.samples;
    result.median_seconds = times.median_seconds;
    result.p5_seconds = times.p5_seconds;
    result.p95_seconds = times.p95_seconds;
    return result;
  };
  RunResult result;
  result.kernel = summary(run.times);
  if (run.reference) result.reference = summary(*run.reference);
  result.reference_name = run.reference_name;
  result.max_error = run.max_error;
  result.tolerance = run.tolerance;
  result.correct = !run.max_error || *run.max_error <= run.tolerance;
  result.cold = run.cold;
  result.conditions.sm_clock_after_hz = run.sm_clock_hz;
  result.flop = run.flop;
  result.bytes = run.bytes;
  return result;
}

double rate_of(Problem problem, const PublishedFigure& figure) {
  if (figure.unit != "ms") return figure.value * 1e9;               // GFLOP/s, GB/s
  double work = problem == Problem::kGemm ? 2 : 2 * sizeof(float);  // per element of the problem
  for (const auto& [name, extent] : figure.extents) work *= static_cast<double>(extent);
  return work / (figure.value * 1e-3);
}

std::string short_gpu(const std::string& name) {
  std::string text = name;
  for (const std::string_view maker : {"NVIDIA ", "GeForce "}) {
    if (text.starts_with(maker)) text.erase(0, maker.size());
  }
  return text.starts_with("a GPU") ? "unnamed GPU" : text;
}

Problem problem_of(const Variant& variant) {
  return variant.entry != nullptr ? variant.entry->problem : Problem::kTranspose;
}

std::string short_title(const CatalogueEntry& entry) {
  std::string title = entry.id.substr(entry.id.find('/') + 1);
  for (char& c : title) c = c == '_' ? ' ' : c;
  if (!title.empty())
    title[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(title[0])));
  return title;
}

std::string short_reference(const std::string& name) {
  if (!name.starts_with("cuBLAS")) return name;
  return name.find("bf16") != std::string::npos ? "cuBLAS bf16" : "cuBLAS";
}

std::string why_no_gpu(const Error& error) {
  constexpr std::string_view kSaid = "no device: ";
  return error.message.starts_with(kSaid) ? error.message.substr(kSaid.size()) : error.message;
}

}  // namespace tilescope
