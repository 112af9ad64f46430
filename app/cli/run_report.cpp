#include "cli/run_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "analysis/memory/counters.h"
#include "analysis/memory/launch_memory.h"
#include "cli/command.h"
#include "core/quantity.h"
#include "gpu/counter_reader.h"
#include "gpu/gpu_device.h"
#include "gpu/messages.h"
#include "store/measurement.h"

// A finished point of `tilescope run` for programs.

namespace tilescope {
namespace {

std::string percent(double part, double whole) {
  return whole > 0 ? format(100 * part / whole, Unit::kPercent) : "–";
}

std::string rate_text(const std::optional<Rate>& rate) {
  if (!rate) return "–";
  return format(rate->per_second, rate->is_flop ? Unit::kFlopPerSecond : Unit::kBytesPerSecond);
}

std::string peak_text(const std::optional<Rate>& rate) {
  return rate && rate->percent_of_peak ? format(*rate->percent_of_peak, Unit::kPercent) : "–";
}

std::string verdict(const RunResult& result) {
  if (!result.max_error) return "result not verified: no reference";
  return fmt::format("result {}: largest error {:.3g}, tolerance {:.3g}",
                     result.correct ? "correct" : "WRONG", *result.max_error, result.tolerance);
}

// "median known to 0.12 %, the reference's to 0.3 %"
std::string known_text(const RunResult& result) {
  const std::string own = certainty_text(result.kernel);
  if (own.empty()) return "too few samples for the error of the median";
  std::string text = "median ± " + own;
  const std::string other = result.reference ? certainty_text(*result.reference) : "";
  if (!other.empty()) text += ", reference ± " + other;
  return text;
}

// A counter of the kernel and, where it was read, of its reference.
std::string counter_line(std::string_view words, const std::string& value,
                         const std::string& reference) {
  return fmt::format("{}   {:<64} {:>28} {:>28}\n", marker_of(Source::kMeasured), words, value,
                     reference);
}

// First what explains the time, in words, then all that the emulator counts too and is not 0.
std::string counters_text(const RunResult& result) {
  const std::map<std::string, double>& counters = result.counters;
  const std::map<std::string, double>& beside = result.reference_counters;
  std::string text;
  if (!beside.empty()) text += fmt::format("\n{:>97} {:>28}\n", "kernel", "reference");
  std::string_view group;
  for (const ProfileCounter& counter : profile_counters()) {
    const auto found = counters.find(std::string(counter.name));
    if (found == counters.end()) continue;
    if (counter.group != group) text += fmt::format("\n{}\n", counter.group);
    group = counter.group;
    const auto shown = [&](double value) {
      return counter.unit == "B"    ? format(value, Unit::kBytes)
             : counter.unit.empty() ? format_count(static_cast<std::uint64_t>(value))
                                    : fmt::format("{:.2f} {}", value, counter.unit);
    };
    const auto reference = beside.find(found->first);
    text += counter_line(counter.words, shown(found->second),
                         reference == beside.end() ? "" : shown(reference->second));
  }
  text += "\ncounters\n";
  for (const std::string& name : metric_names()) {
    const auto count = [&](const std::map<std::string, double>& of) {
      const auto found = of.find(name);
      return found == of.end() ? 0 : static_cast<std::uint64_t>(found->second);
    };
    if (count(counters) == 0 && count(beside) == 0) continue;
    text += counter_line(name, format_count(count(counters)),
                         beside.empty() ? "" : format_count(count(beside)));
  }
  return text;
}

// The phases of a warp on average, and what stamping the clock cost.
std::string phases_text(const RunRow& row) {
  const MeasuredPhases& phases = *row.phases;
  std::string text = fmt::format(
      "\nphases of block ({}, {}, {}), measured with an instrumented build: {} the time, stamps "
      "cost {} of it\n",
      row.phases_of.x, row.phases_of.y, row.phases_of.z, times_words(phases.slowdown),
      percent_words(phases.stamp_share));
  const std::vector<std::uint64_t> cycles = phase_cycles(row.phase_names.size(), phases);
  const auto warps = static_cast<double>(std::max<std::size_t>(phases.warps.size(), 1));
  for (std::size_t i = 0; i < cycles.size(); ++i) {
    if (cycles[i] == 0) continue;
    const double each = static_cast<double>(cycles[i]) / warps;
    text += fmt::format("{}   {:<20} {:>16} per warp {:>9}\n", marker_of(Source::kMeasured),
                        row.phase_names[i], format(each, Unit::kCycles),
                        percent(each, static_cast<double>(phases.cycles)));
  }
  return text;
}

std::string where_text(const DeviceInfo& device, const RunRow& row) {
  const bool cold = !row.result || row.result->cold;
  return fmt::format(
      "{}, driver {}, {} for {}; {}", device.name, device.driver, row.compiled->compiler,
      row.compiled->architecture,
      cold ? "cold: the L2 is flushed before each sample" : "warm: the L2 is not flushed");
}

std::string times_line(const std::string& name, const TimeSummary& times,
                       const std::optional<Rate>& rate, const std::string& of_reference) {
  return fmt::format(
      "{} {:<20} {:>11} {:>11} {:>11} {:>4} {:>14} {:>9} {:>9}\n", marker_of(Source::kMeasured),
      name, format(times.median_seconds, Unit::kSeconds), format(times.p5_seconds, Unit::kSeconds),
      format(times.p95_seconds, Unit::kSeconds), times.count, rate_text(rate), of_reference,
      peak_text(rate));
}

}  // namespace

std::string values_text(const std::map<std::string, std::int64_t>& values) {
  std::string text;
  for (const auto& [name, value] : values) {
    text += fmt::format("{}{} {}", text.empty() ? "" : "  ", name, value);
  }
  return text;
}

std::string point_text(const std::map<std::string, std::int64_t>& parameters,
                       const GemmFactors& factors) {
  const std::string text = values_text(parameters);
  return text + (text.empty() || factors.empty() ? "" : "  ") + factors_text(factors);
}

Peaks peaks_of(const DeviceInfo& device, const std::vector<DeviceModel>& table) {
  Peaks peaks;
  const DeviceModel model = model_of(device, table);
  if (device.max_clock_hz > 0) peaks.flop_per_second = model.peak_fp32_flop_per_second();
  const bool told = device.memory_bytes_per_second > 0;
  const bool listed = std::ranges::find(table, device.name, &DeviceModel::name) != table.end();
  if (told || listed) peaks.bytes_per_second = model.memory_bytes_per_second;
  return peaks;
}

std::optional<Rate> rate_of(const RunRow& row, const TimeSummary& times, const Peaks& peaks) {
  if (!row.instance.problem || !row.result || !(times.median_seconds > 0)) return std::nullopt;
  Rate rate;
  rate.is_flop = row.instance.rated_in_flop();
  rate.per_second = (rate.is_flop ? row.result->flop : row.result->bytes) / times.median_seconds;
  const auto& peak = rate.is_flop ? peaks.flop_per_second : peaks.bytes_per_second;
  const bool known = !rate.is_flop || row.instance.arithmetic == "f32";  // tensor cores: another
  if (peak && known) rate.percent_of_peak = 100 * rate.per_second / *peak;
  return rate;
}

std::string run_text(const RunRow& row, const DeviceInfo& device, const Peaks& peaks) {
  const RunResult& result = *row.result;
  const KernelInstance& instance = row.instance;
  std::string text = fmt::format("{}  {}\n", instance.id, values_text(instance.extents));
  const std::string point = point_text(instance.parameters, factors_of(instance));
  if (!point.empty()) text += point + "\n";
  text += where_text(device, row) + "\n\n";
  text += fmt::format("  {:<20} {:>11} {:>11} {:>11} {:>4} {:>14} {:>9} {:>9}\n", "", "median",
                      "p5", "p95", "n", "rate", "of ref.", "of peak");
  const auto rate = rate_of(row, result.kernel, peaks);
  const std::string of_reference =
      result.reference ? percent(result.reference->median_seconds, result.kernel.median_seconds)
                       : "–";
  text += times_line("kernel", result.kernel, rate, of_reference);
  if (result.reference) {
    text += times_line(result.reference_name, *result.reference,
                       rate_of(row, *result.reference, peaks), "");
  }
  if (result.other) {
    text += times_line(result.other_name, *result.other, rate_of(row, *result.other, peaks), "");
  }
  text += fmt::format("\n{}\n{}; {} blocks per SM; {}", verdict(result), known_text(result),
                      result.blocks_per_multiprocessor, conditions_text(result.conditions));
  if (rate && rate->is_flop && peaks.flop_per_second) {
    text += fmt::format("\npeak {} = {} × {} SMs × FP32 lanes × 2",
                        format(*peaks.flop_per_second, Unit::kFlopPerSecond),
                        format(device.max_clock_hz, Unit::kHertz), device.multiprocessors);
  } else if (rate && peaks.bytes_per_second) {
    text +=
        fmt::format("\n{} bandwidth: {} of {} (datasheet; 40 % okay, 60 % good, 75 % excellent)",
                    bandwidth_verdict(*rate->percent_of_peak), peak_text(rate),
                    format(*peaks.bytes_per_second, Unit::kBytesPerSecond));
  }
  text += "\n";
  if (!result.counters.empty()) text += counters_text(result);
  if (row.phases) text += phases_text(row);
  return text;
}

std::string run_table_head(const DeviceInfo& device, const RunRow& first) {
  return fmt::format(
      "{}\n\n  {:<24} {:<16} {:>11} {:>11} {:>11} {:>4} {:>14} {:>8} {:>8} {:>9}  {}\n",
      where_text(device, first), "kernel", "size", "median", "p5", "p95", "n", "rate", "of ref.",
      "of peak", "max error", "parameters");
}

std::string run_table_line(const RunRow& row, const Peaks& peaks) {
  const KernelInstance& instance = row.instance;
  const std::string head = fmt::format("{:<24} {:<16}", instance.id, size_of(instance));
  if (!row.result) {
    return fmt::format("  {} {}\n", head, to_string(row.result.error()));
  }
  const RunResult& result = *row.result;
  const auto rate = rate_of(row, result.kernel, peaks);
  const std::string error = result.max_error ? fmt::format("{:.2g}", *result.max_error) : "–";
  return fmt::format(
      "{} {} {:>11}{} {:>10} {:>11} {:>4} {:>14} {:>8} {:>8} {:>9}{} {}\n",
      marker_of(Source::kMeasured), head, format(result.kernel.median_seconds, Unit::kSeconds),
      doubt_mark(result.conditions), format(result.kernel.p5_seconds, Unit::kSeconds),
      format(result.kernel.p95_seconds, Unit::kSeconds), result.kernel.count, rate_text(rate),
      result.reference ? percent(result.reference->median_seconds, result.kernel.median_seconds)
                       : "–",
      peak_text(rate), error, result.correct ? " " : "✗",
      point_text(instance.parameters, factors_of(instance)));
}

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

Result<RecordedRuns> open_record(const std::filesystem::path& file, const Machine& machine) {
  RecordedRuns fresh;
  fresh.machine = machine;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return fresh;
  auto recorded = load_recorded_runs(file);
  if (!recorded) return recorded;
  const Machine& kept = recorded->machine;
  if (kept.gpu != machine.gpu || kept.driver != machine.driver ||
      kept.compiler != machine.compiler) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} has runs of {}, driver {}, {}; this is {}, driver {}, {}",
                             file.string(), kept.gpu, kept.driver, kept.compiler, machine.gpu,
                             machine.driver, machine.compiler),
                 "Record into another file",
                 {}};
  }
  return recorded;
}

bool is_record(const RunRow& row) {
  return row.instance.problem && row.result && row.result->correct;
}

std::string rate_text(const Measurement& run) {
  const RunResult& result = run.result;
  const double work = result.flop > 0 ? result.flop : result.bytes;
  const Unit unit = result.flop > 0 ? Unit::kFlopPerSecond : Unit::kBytesPerSecond;
  return work > 0 ? format(work / result.kernel.median_seconds, unit) : "–";
}

std::string of_reference_text(const Measurement& run) {
  const RunResult& result = run.result;
  if (!result.reference) return "–";
  return format(100 * result.reference->median_seconds / result.kernel.median_seconds,
                Unit::kPercent);
}

void HistoryKeeper::open_history() {
  auto history = History::open(History::default_file());
  if (history) {
    history_.emplace(*std::move(history));
  } else {
    give_up(history.error());
  }
}

void HistoryKeeper::keep(const RunRow& row) {
  if (!history_ || !row.result || !row.result->correct || row.compiled == nullptr) return;
  Measurement run = measurement_of(row.instance, *row.result, machine_of(device_, *row.compiled));
  run.worker = row.worker;
  const auto id = history_->add(history_entry(std::move(run)));
  if (!id) give_up(id.error());
}

std::optional<HistoryEntry> HistoryKeeper::find(const KernelInstance& instance,
                                                const CompiledKernel& compiled, bool cold) {
  if (!history_) return std::nullopt;
  auto found = history_->find_same(machine_of(device_, compiled), recorded_key(instance, cold));
  if (found) return *std::move(found);
  give_up(found.error());
  return std::nullopt;
}

void HistoryKeeper::give_up(const Error& error) {
  history_.reset();
  print_error("tilescope: the history was not updated: {}\n", to_string(error));
}

}  // namespace tilescope
