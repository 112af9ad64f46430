#include "cli/run_record.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <system_error>

namespace tilescope {
namespace {

RecordedTimes times_of(const TimeSummary& summary) {
  return {summary.median_seconds, summary.p5_seconds, summary.p95_seconds};
}

// What names a point.
RecordedRun point_of(const KernelInstance& instance, bool cold) {
  RecordedRun run;
  run.kernel = instance.id;
  run.source_hash = kernel_source_hash(instance.source);
  run.parameters = instance.parameters;
  run.extents = instance.extents;
  run.cold = cold;
  return run;
}

std::int64_t now_milliseconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
}

}  // namespace

RecordedMachine machine_of(const DeviceInfo& device, const CompiledKernel& compiled) {
  return {device.name,        device.compute_capability, device.driver,
          device.cuda_driver, compiled.compiler,         device.cublas};
}

Result<RecordedRuns> open_record(const std::filesystem::path& file,
                                 const RecordedMachine& machine) {
  RecordedRuns fresh;
  static_cast<RecordedMachine&>(fresh) = machine;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return fresh;
  auto recorded = load_recorded_runs(file);
  if (!recorded) return recorded;
  if (recorded->gpu != fresh.gpu || recorded->driver != fresh.driver ||
      recorded->compiler != fresh.compiler) {
    return Error{ErrorCode::kUsage,
                 fmt::format("{} holds runs of {}, driver {}, {}; this is {}, driver {}, {}",
                             file.string(), recorded->gpu, recorded->driver, recorded->compiler,
                             fresh.gpu, fresh.driver, fresh.compiler),
                 "Record into another file",
                 {}};
  }
  return recorded;
}

bool is_record(const RunRow& row) {
  return row.instance.problem && row.result && row.result->correct;
}

RecordedRun recorded_run(const RunRow& row) {
  const RunResult& result = *row.result;
  RecordedRun run = point_of(row.instance, result.cold);
  run.samples = result.kernel.count;
  run.times = times_of(result.kernel);
  if (result.reference) run.reference = times_of(*result.reference);
  run.reference_name = result.reference_name;
  if (result.other) run.other = times_of(*result.other);
  run.other_name = result.other_name;
  run.max_error = result.max_error;
  run.tolerance = result.tolerance;
  run.flop = result.flop;
  run.bytes = result.bytes;
  run.sm_clock_before_hz = result.conditions.sm_clock_before_hz;
  run.sm_clock_hz = result.conditions.sm_clock_after_hz;
  run.temperature_celsius = result.conditions.temperature_after_celsius;
  run.relative_error = result.kernel.relative_error;
  run.throttled_samples = result.conditions.throttled_samples;
  run.throttle_reasons = throttle_text(result.conditions.throttle_reasons);
  run.counters = result.counters;
  run.date = today();
  return run;
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
  const auto id =
      history_->add({0, now_milliseconds(), machine_of(device_, *row.compiled), recorded_run(row)});
  if (!id) give_up(id.error());
}

std::optional<HistoryEntry> HistoryKeeper::find(const KernelInstance& instance,
                                                const CompiledKernel& compiled, bool cold) {
  if (!history_) return std::nullopt;
  auto found = history_->find_same(machine_of(device_, compiled), point_of(instance, cold));
  if (found) return *std::move(found);
  give_up(found.error());
  return std::nullopt;
}

void HistoryKeeper::give_up(const Error& error) {
  history_.reset();
  fmt::print(stderr, "tilescope: nothing is kept in the history: {}\n", to_string(error));
}

}  // namespace tilescope
