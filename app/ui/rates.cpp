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

double peak_rate(const Variant& variant, const DeviceModel& device) {
  if (problem_of(variant) != Problem::kGemm) return device.memory_bytes_per_second;
  if (variant.entry != nullptr && !multiplies_fp32(*variant.entry)) return 0;
  return device.peak_fp32_flop_per_second();
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

std::optional<KnownRate> known_rate(const Desk& desk, const CatalogueEntry& entry,
                                    const ParameterSet& parameters, const ParameterSet& extents) {
  const auto known = [&](const RunResult& result, Source source) {
    const auto rate = [&](double seconds) { return rate_of(entry.problem, result, seconds); };
    return KnownRate{.value = rate(result.kernel.median_seconds),
                     .reference = result.reference ? rate(result.reference->median_seconds) : 0,
                     .reference_name = result.reference_name,
                     .source = source};
  };
  const auto& points = desk.bench.measured();
  for (auto it = points.rbegin(); it != points.rend(); ++it) {
    if (it->kernel == entry.id && it->extents == extents && it->result.kernel.median_seconds > 0) {
      return known(it->result, Source::kMeasured);
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
