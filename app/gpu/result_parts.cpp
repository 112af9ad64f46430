#include <nlohmann/json.hpp>

#include "gpu/message_parts.h"

namespace tilescope {

using nlohmann::json;

json encode(const Error& error) {
  return {{"code", static_cast<int>(error.code)},
          {"message", error.message},
          {"remedy", error.remedy},
          {"file", error.place.file},
          {"line", error.place.line},
          {"column", error.place.column}};
}

Error decode_error(const Fields& fields) {
  return {fields.enumerator("code", ErrorCode::kCancelled),
          fields.text("message"),
          fields.text("remedy"),
          {fields.text("file"), fields.integer<int>("line", 0), fields.integer<int>("column", 0)}};
}

json encode(const DeviceInfo& device) {
  return {{"name", device.name},
          {"compute_capability", device.compute_capability},
          {"multiprocessors", device.multiprocessors},
          {"max_clock_hz", device.max_clock_hz},
          {"memory_bytes", device.memory_bytes},
          {"memory_bytes_per_second", device.memory_bytes_per_second},
          {"l2_bytes", device.l2_bytes},
          {"driver", device.driver},
          {"cuda_driver", device.cuda_driver},
          {"cublas", device.cublas},
          {"cublas_problem", device.cublas_problem}};
}

DeviceInfo decode_device(const Fields& fields) {
  DeviceInfo device;
  device.name = fields.text("name");
  device.compute_capability = fields.integer<int>("compute_capability", 0);
  device.multiprocessors = fields.integer<int>("multiprocessors", 0);
  device.max_clock_hz = fields.real("max_clock_hz");
  device.memory_bytes = fields.integer<std::uint64_t>("memory_bytes");
  device.memory_bytes_per_second = fields.real("memory_bytes_per_second");
  device.l2_bytes = fields.integer<std::uint64_t>("l2_bytes");
  device.driver = fields.text("driver");
  device.cuda_driver = fields.text("cuda_driver");
  device.cublas = fields.text("cublas");
  device.cublas_problem = fields.text("cublas_problem");
  return device;
}

namespace {

json encode(const TimeSummary& summary) {
  return {{"count", summary.count},
          {"median_seconds", summary.median_seconds},
          {"p5_seconds", summary.p5_seconds},
          {"p95_seconds", summary.p95_seconds},
          {"relative_error", summary.relative_error},
          {"samples", summary.samples}};
}

TimeSummary decode_summary(const Fields& fields) {
  TimeSummary summary;
  summary.count = fields.integer<int>("count", 0);
  summary.median_seconds = fields.real("median_seconds");
  summary.p5_seconds = fields.real("p5_seconds");
  summary.p95_seconds = fields.real("p95_seconds");
  summary.relative_error = fields.real("relative_error");
  for (const json& sample : fields.array("samples")) {
    summary.samples.push_back(Fields::as_real(sample, "samples"));
  }
  return summary;
}

json optional_real(const std::optional<double>& value) { return value ? json(*value) : json(); }

std::optional<double> decode_optional(const Fields& fields, const char* name) {
  if (fields.any(name).is_null()) return std::nullopt;
  return fields.real(name);
}

json encode(const MeasuredConditions& conditions) {
  return {{"sm_clock_before_hz", optional_real(conditions.sm_clock_before_hz)},
          {"sm_clock_after_hz", optional_real(conditions.sm_clock_after_hz)},
          {"temperature_before", optional_real(conditions.temperature_before_celsius)},
          {"temperature_after", optional_real(conditions.temperature_after_celsius)},
          {"throttle_reasons", conditions.throttle_reasons},
          {"throttled_samples", conditions.throttled_samples},
          {"all_throttled", conditions.all_throttled}};
}

MeasuredConditions decode_conditions(const Fields& fields) {
  MeasuredConditions conditions;
  conditions.sm_clock_before_hz = decode_optional(fields, "sm_clock_before_hz");
  conditions.sm_clock_after_hz = decode_optional(fields, "sm_clock_after_hz");
  conditions.temperature_before_celsius = decode_optional(fields, "temperature_before");
  conditions.temperature_after_celsius = decode_optional(fields, "temperature_after");
  conditions.throttle_reasons = fields.integer<std::uint64_t>("throttle_reasons");
  conditions.throttled_samples = fields.integer<int>("throttled_samples", 0);
  conditions.all_throttled = fields.flag("all_throttled");
  return conditions;
}

}  // namespace

namespace {

constexpr std::uint32_t kMostWarps = 32;  // of a block

// Flat: four numbers a stamp.
json encode(const std::vector<PhaseStamp>& stamps) {
  json encoded = json::array();
  for (const PhaseStamp& stamp : stamps) {
    for (const std::uint32_t number :
         {stamp.warp, stamp.line, stamp.begin_cycle, stamp.end_cycle}) {
      encoded.push_back(number);
    }
  }
  return encoded;
}

std::vector<PhaseStamp> decode_stamps(const Fields& fields, const char* name) {
  const json& encoded = fields.array(name);
  if (encoded.size() % 4 != 0 || encoded.size() / 4 > kMostWarps * kStampsPerWarp) {
    throw FieldError{name};
  }
  std::vector<PhaseStamp> stamps;
  for (std::size_t at = 0; at < encoded.size(); at += 4) {
    const auto number = [&](std::size_t i, std::uint32_t most = ~0u) {
      return Fields::as_integer<std::uint32_t>(encoded[at + i], name, 0, most);
    };
    stamps.push_back({number(0, kMostWarps - 1), number(1), number(2), number(3)});
  }
  return stamps;
}

}  // namespace

json encode(const RunResult& result) {
  return {{"kernel", encode(result.kernel)},
          {"reference", result.reference ? encode(*result.reference) : json()},
          {"reference_name", result.reference_name},
          {"other", result.other ? encode(*result.other) : json()},
          {"other_name", result.other_name},
          {"max_error", optional_real(result.max_error)},
          {"tolerance", result.tolerance},
          {"correct", result.correct},
          {"cold", result.cold},
          {"conditions", encode(result.conditions)},
          {"flop", result.flop},
          {"bytes", result.bytes},
          {"blocks_per_multiprocessor", result.blocks_per_multiprocessor},
          {"counters", result.counters},
          {"unknown_counters", result.unknown_counters},
          {"reference_counters", result.reference_counters},
          {"phase_stamps", encode(result.phase_stamps)}};
}

std::map<std::string, double> decode_counters(const Fields& fields, const char* key) {
  std::map<std::string, double> counters;
  const Fields values = fields.object(key);
  for (const auto& [name, value] : fields.any(key).items()) {
    counters[name] = values.real(name.c_str());
  }
  return counters;
}

RunResult decode_result(const Fields& fields) {
  RunResult result;
  result.kernel = decode_summary(fields.object("kernel"));
  if (!fields.any("reference").is_null()) {
    result.reference = decode_summary(fields.object("reference"));
  }
  result.reference_name = fields.text("reference_name");
  if (!fields.any("other").is_null()) result.other = decode_summary(fields.object("other"));
  result.other_name = fields.text("other_name");
  result.max_error = decode_optional(fields, "max_error");
  result.tolerance = fields.real("tolerance");
  result.correct = fields.flag("correct");
  result.cold = fields.flag("cold");
  result.conditions = decode_conditions(fields.object("conditions"));
  result.flop = fields.real("flop");
  result.bytes = fields.real("bytes");
  result.blocks_per_multiprocessor = fields.integer<int>("blocks_per_multiprocessor", 0);
  result.counters = decode_counters(fields, "counters");
  result.reference_counters = decode_counters(fields, "reference_counters");
  for (const json& name : fields.array("unknown_counters")) {
    result.unknown_counters.push_back(Fields::as_text(name, "unknown_counters"));
  }
  result.phase_stamps = decode_stamps(fields, "phase_stamps");
  return result;
}

}  // namespace tilescope
