#include "cli/run_record.h"

#include <fmt/format.h>

#include <system_error>

namespace tilescope {
namespace {

RecordedTimes times_of(const TimeSummary& summary) {
  return {summary.median_seconds, summary.p5_seconds, summary.p95_seconds};
}

}  // namespace

Result<RecordedRuns> open_record(const std::filesystem::path& file, const DeviceInfo& device,
                                 const std::string& compiler) {
  RecordedRuns fresh;
  fresh.gpu = device.name;
  fresh.compute_capability = device.compute_capability;
  fresh.driver = device.driver;
  fresh.cuda_driver = device.cuda_driver;
  fresh.compiler = compiler;
  fresh.cublas = device.cublas;
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

void record(const RunRow& row, RecordedRuns* recorded) {
  if (!row.instance.problem || !row.result || !row.result->correct) return;
  const RunResult& result = *row.result;
  RecordedRun run;
  run.kernel = row.instance.id;
  run.source_hash = kernel_source_hash(row.instance.source);
  run.parameters = row.instance.parameters;
  run.extents = row.instance.extents;
  run.cold = result.cold;
  run.samples = result.kernel.count;
  run.times = times_of(result.kernel);
  if (result.reference) run.reference = times_of(*result.reference);
  run.reference_name = result.reference_name;
  run.max_error = result.max_error;
  run.tolerance = result.tolerance;
  run.flop = result.flop;
  run.bytes = result.bytes;
  run.sm_clock_hz = result.sm_clock_after_hz;
  run.date = today();
  recorded->put(std::move(run));
}

}  // namespace tilescope
