// A finished point of `tilescope run` for programs.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "analysis/bandwidth.h"
#include "cli/run_report.h"
#include "core/quantity.h"
#include "gpu/condition_words.h"
#include "store/measured_run.h"

namespace tilescope {
namespace {

using nlohmann::json;

json conditions_json(const MeasuredConditions& conditions) {
  json encoded = {{"throttled_samples", conditions.throttled_samples},
                  {"throttle_reasons", throttle_text(conditions.throttle_reasons)},
                  {"all_throttled", conditions.all_throttled},
                  {"clock_moved", conditions.clock_moved()}};
  const auto add = [&](const char* name, const std::optional<double>& value) {
    if (value) encoded[name] = *value;
  };
  add("sm_clock_before_hz", conditions.sm_clock_before_hz);
  add("sm_clock_after_hz", conditions.sm_clock_after_hz);
  add("temperature_before_celsius", conditions.temperature_before_celsius);
  add("temperature_after_celsius", conditions.temperature_after_celsius);
  return encoded;
}

json phases_json(const RunRow& row) {
  const MeasuredPhases& phases = *row.phases;
  json encoded = {{"block", {row.phases_of.x, row.phases_of.y, row.phases_of.z}},
                  {"cycles", phases.cycles},
                  {"warps", phases.warps.size()},
                  {"slowdown", phases.slowdown},
                  {"stamp_share", phases.stamp_share}};
  const std::vector<std::uint64_t> cycles = phase_cycles(row.phase_names.size(), phases);
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    encoded["warp_cycles"][row.phase_names[i]] = cycles[i];
  }
  return encoded;
}

json times_json(const RunRow& row, const TimeSummary& times, const Peaks& peaks) {
  json encoded = {{"samples", times.count},
                  {"median_seconds", times.median_seconds},
                  {"p5_seconds", times.p5_seconds},
                  {"p95_seconds", times.p95_seconds},
                  {"relative_error", times.relative_error},
                  {"sample_seconds", times.samples}};
  if (const auto rate = rate_of(row, times, peaks)) {
    encoded[rate->is_flop ? "flop_per_second" : "bytes_per_second"] = rate->per_second;
    if (rate->percent_of_peak) encoded["percent_of_peak"] = *rate->percent_of_peak;
    if (rate->percent_of_peak && !rate->is_flop) {
      encoded["bandwidth_verdict"] = bandwidth_verdict(*rate->percent_of_peak);
    }
  }
  return encoded;
}

void add_result(const RunRow& row, const Peaks& peaks, json* encoded) {
  const RunResult& result = *row.result;
  (*encoded)["cold"] = result.cold;
  (*encoded)["time"] = times_json(row, result.kernel, peaks);
  (*encoded)["result"] = nullptr;
  if (result.max_error) {  // NaN is written as null
    (*encoded)["result"] = {
        {"max_error", *result.max_error}, {"tolerance", result.tolerance}, {"ok", result.correct}};
  }
  if (result.reference) {
    json reference = times_json(row, *result.reference, peaks);
    reference["name"] = result.reference_name;
    (*encoded)["reference"] = std::move(reference);
    if (result.kernel.median_seconds > 0) {
      (*encoded)["percent_of_reference"] =
          100 * result.reference->median_seconds / result.kernel.median_seconds;
    }
  }
  if (result.other) {
    (*encoded)["other"] = times_json(row, *result.other, peaks);
    (*encoded)["other"]["name"] = result.other_name;
  }
  if (!result.counters.empty()) (*encoded)["counters"] = result.counters;
  if (!result.reference_counters.empty()) {
    (*encoded)["reference_counters"] = result.reference_counters;
  }
  if (row.phases) (*encoded)["phases"] = phases_json(row);
  (*encoded)["conditions"] = conditions_json(result.conditions);
  (*encoded)["blocks_per_multiprocessor"] = result.blocks_per_multiprocessor;
  (*encoded)["flop"] = result.flop;
  (*encoded)["bytes"] = result.bytes;
}

}  // namespace

json run_json(const RunRow& row, const DeviceInfo& device, const Peaks& peaks) {
  const KernelInstance& instance = row.instance;
  json encoded = {{"kernel", instance.id},
                  {"parameters", instance.parameters},
                  {"extents", instance.extents},
                  {"factors", factors_of(instance)},
                  {"grid", {instance.grid.x, instance.grid.y, instance.grid.z}},
                  {"block", {instance.block.x, instance.block.y, instance.block.z}},
                  {"source", name_of(Source::kMeasured)},
                  {"date", today()},
                  {"gpu",
                   {{"name", device.name},
                    {"compute_capability", device.compute_capability},
                    {"multiprocessors", device.multiprocessors},
                    {"max_clock_hz", device.max_clock_hz},
                    {"driver", device.driver},
                    {"cuda_driver", device.cuda_driver},
                    {"cublas", device.cublas}}}};
  if (row.compiled != nullptr) {
    encoded["compiler"] = row.compiled->compiler;
    encoded["architecture"] = row.compiled->architecture;
    if (row.compiled->has_resources) encoded["registers"] = row.compiled->resources.registers;
  }
  if (row.result) {
    add_result(row, peaks, &encoded);
  } else {
    encoded["error"] = to_string(row.result.error());
  }
  return encoded;
}

}  // namespace tilescope
