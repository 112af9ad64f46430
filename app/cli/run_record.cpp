#include "cli/run_record.h"

#include <fmt/format.h>

#include <cstdio>
#include <system_error>

#include "cli/output.h"
#include "core/quantity.h"

namespace tilescope {
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

std::string rate_text(const RecordedRun& run) {
  const double work = run.flop > 0 ? run.flop : run.bytes;
  const Unit unit = run.flop > 0 ? Unit::kFlopPerSecond : Unit::kBytesPerSecond;
  return work > 0 ? format(work / run.times.median_seconds, unit) : "–";
}

std::string of_reference_text(const RecordedRun& run) {
  if (!run.reference) return "–";
  return format(100 * run.reference->median_seconds / run.times.median_seconds, Unit::kPercent);
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
  const auto id = history_->add(history_entry(device_, *row.compiled, row.instance, *row.result));
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
  print_error("tilescope: nothing is kept in the history: {}\n", to_string(error));
}

}  // namespace tilescope
